"use strict";
// Everything that comes from articles becomes text through textContent, never markup.
const KG = (() => {
  const SHOWN = 30, FOUND = 25, NEGATED = 1, SPECULATIVE = 2, LABEL = 190, MARGIN = 8;
  const byId = (id) => document.getElementById(id);
  const SVG = "http://www.w3.org/2000/svg";
  let graph, start, around, degree;
  let centre = -1, limit = SHOWN, kinds = new Set(), category = "", blocks = new Map(), waiting = new Map();

  const bytes = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const ARRAYS = { head: Uint32Array, tail: Uint32Array, predicate: Uint16Array, kind: Uint8Array,
    flags: Uint8Array, confidence: Uint8Array, articles: Uint16Array };

  function element(name, properties = {}, ...children) {
    const made = document.createElement(name);
    Object.assign(made, properties);
    made.append(...children);
    return made;
  }
  function shape(name, attributes, ...children) {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  }

  // Relations of every entity in one array: those of entity n stand at around[start[n]] to around[start[n + 1]].
  function index() {
    const n = graph.names.length, r = graph.relations;
    start = new Uint32Array(n + 1);
    for (let i = 0; i < r.head.length; i++) { start[r.head[i] + 1]++; if (r.head[i] !== r.tail[i]) start[r.tail[i] + 1]++; }
    for (let i = 0; i < n; i++) start[i + 1] += start[i];
    const next = start.slice();
    around = new Uint32Array(start[n]);
    for (let i = 0; i < r.head.length; i++) {
      around[next[r.head[i]]++] = i;
      if (r.head[i] !== r.tail[i]) around[next[r.tail[i]]++] = i;
    }
    degree = (entity) => start[entity + 1] - start[entity];
  }

  function load(given) {
    graph = given;
    graph.category = bytes(graph.category);
    graph.plural = bytes(graph.plural);
    for (const [name, kind] of Object.entries(ARRAYS)) graph.relations[name] = new kind(bytes(graph.relations[name]).buffer);
    index();
    document.title = byId("title").textContent = `${graph.corpus} ${graph.version}`;
    const present = new Set(graph.relations.kind);
    graph.kinds.forEach((kind, number) => {
      if (!present.has(number)) return;
      kinds.add(number);
      const box = element("input", { type: "checkbox", checked: true });
      box.onchange = () => { box.checked ? kinds.add(number) : kinds.delete(number); show(centre); };
      byId("kinds").append(element("label", { className: kind }, box, ` ${kind}`));
    });
    graph.categories.forEach((name, number) => byId("category").append(new Option(`of category ${name}`, number)));
    byId("category").onchange = (event) => { category = event.target.value; show(centre); };
    byId("more").onclick = () => { limit += SHOWN; show(centre); };
    listen();
    const wanted = graph.ids.indexOf(decodeURIComponent(location.hash.slice(1)));
    let greatest = 0;
    for (let i = 0; i < graph.names.length; i++) if (degree(i) > degree(greatest)) greatest = i;
    if (graph.names.length) show(wanted >= 0 ? wanted : greatest);
    else byId("caption").textContent = "This graph is empty.";
  }

  const count = (number, word) => `${number} ${word}${number === 1 ? "" : "s"}`;

  // ---- search
  function find(text) {
    const words = text.trim().toLowerCase(), found = [];
    if (!words) return found;
    for (let i = 0; i < graph.names.length; i++) {
      const name = graph.names[i].toLowerCase();
      const isCalled = name === words || `|${graph.synonyms[i]}|`.includes(`|${words}|`) || graph.ids[i].toLowerCase() === words;
      const rank = isCalled ? 0 : name.startsWith(words) ? 1
        : name.includes(words) ? 2 : graph.synonyms[i].includes(words) ? 3 : 9;
      if (rank < 9) found.push([rank, -degree(i), i]);
    }
    return found.sort((a, b) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2]).slice(0, FOUND).map((row) => row[2]);
  }
  function listen() {
    const query = byId("query"), list = byId("found");
    let marked = 0, entities = [];
    const close = () => { list.hidden = true; query.setAttribute("aria-expanded", "false"); };
    const choose = (entity) => { close(); query.value = graph.names[entity]; limit = SHOWN; show(entity); };
    const draw = () => {
      list.replaceChildren(...entities.map((entity, place) => {
        const row = element("li", { role: "option" }, graph.names[entity], element("small", {},
          ` ${graph.categories[graph.category[entity]]}, ${count(degree(entity), "relation")}`));
        row.setAttribute("aria-selected", place === marked);
        row.onmousedown = (event) => { event.preventDefault(); choose(entity); };
        return row;
      }));
      if (!entities.length) list.append(element("li", { className: "soft" }, "No entity has that name."));
      list.hidden = !query.value.trim();
      query.setAttribute("aria-expanded", String(!list.hidden));
    };
    query.oninput = () => { entities = find(query.value); marked = 0; draw(); };
    query.onblur = close;
    query.onkeydown = (event) => {
      if (event.key === "Escape") close();
      else if (event.key === "Enter" && entities.length) choose(entities[marked]);
      else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
        event.preventDefault();
        marked = Math.max(0, Math.min(entities.length - 1, marked + (event.key === "ArrowDown" ? 1 : -1)));
        draw();
      }
    };
    addEventListener("hashchange", () => {
      const entity = graph.ids.indexOf(decodeURIComponent(location.hash.slice(1)));
      if (entity >= 0 && entity !== centre) { limit = SHOWN; show(entity); }
    });
    pan();
  }

  // ---- neighbourhood
  const other = (relation, entity) =>
    graph.relations.head[relation] === entity ? graph.relations.tail[relation] : graph.relations.head[relation];
  const better = (a, b) => graph.relations.kind[a] - graph.relations.kind[b]
    || graph.relations.articles[b] - graph.relations.articles[a]
    || graph.relations.confidence[b] - graph.relations.confidence[a] || a - b;
  const allowed = (relation) => kinds.has(graph.relations.kind[relation]);

  function neighbours(entity) {
    const found = new Map();
    for (let i = start[entity]; i < start[entity + 1]; i++) {
      const relation = around[i], neighbour = other(relation, entity);
      if (!allowed(relation) || neighbour === entity) continue;
      if (category !== "" && graph.category[neighbour] !== Number(category)) continue;
      if (!found.has(neighbour)) found.set(neighbour, []);
      found.get(neighbour).push(relation);
    }
    for (const relations of found.values()) relations.sort(better);
    return [...found].sort((a, b) => better(a[1][0], b[1][0]));
  }
  function show(entity) {
    if (entity < 0) return;
    centre = entity;
    history.replaceState(null, "", `#${encodeURIComponent(graph.ids[entity])}`);
    const all = neighbours(entity), shown = all.slice(0, limit);
    byId("more").hidden = all.length <= limit;
    byId("caption").textContent = all.length
      ? `${shown.length} of ${count(all.length, "neighbour")}; click a line to read its sentences, a name to go there`
      : "Nothing to show with these filters.";
    draw(entity, shown);
    describe(entity, shown);
  }

  // ---- drawing: neighbours in two rings around the entity
  function draw(entity, shown) {
    const canvas = byId("canvas"), view = byId("view"), width = canvas.clientWidth || 800, height = canvas.clientHeight || 500;
    const radius = Math.min(width, height) * 0.38, across = Math.max(radius / 2, width / 2 - LABEL) / radius;
    const places = new Map([[entity, { x: 0, y: 0 }]]);
    shown.forEach(([neighbour], i) => {
      const angle = 2 * Math.PI * i / shown.length - Math.PI / 2, reach = radius * (i % 2 ? 1 : 0.72);
      places.set(neighbour, { x: reach * Math.cos(angle) * across, y: reach * Math.sin(angle) });
    });
    const lines = shown.map(([neighbour, relations]) => line(entity, neighbour, relations, places, "edge"));
    const among = between(shown.map(([neighbour]) => neighbour)).map(([a, b, relations]) => line(a, b, relations, places, "edge among"));
    const marks = [...places].map(([node, place]) => mark(node, place, node === entity));
    view.replaceChildren(...among, ...lines, ...marks);
    // A long name may reach beyond the border: then everything is drawn a little smaller.
    const drawn = view.getBBox(), reach = (low, size) => 2 * Math.max(-low, low + size) + 2 * MARGIN;
    const scale = Math.max(1, reach(drawn.x, drawn.width) / width, reach(drawn.y, drawn.height) / height);
    canvas.setAttribute("viewBox", `${-width * scale / 2} ${-height * scale / 2} ${width * scale} ${height * scale}`);
  }
  function between(nodes) {
    const known = new Set(nodes), found = new Map();
    for (const node of nodes) for (let i = start[node]; i < start[node + 1] && i < start[node] + 2000; i++) {
      const relation = around[i], head = graph.relations.head[relation], tail = graph.relations.tail[relation];
      if (head !== node || tail === head || !known.has(tail) || !allowed(relation)) continue;
      const key = head < tail ? `${head},${tail}` : `${tail},${head}`;
      if (!found.has(key)) found.set(key, [Math.min(head, tail), Math.max(head, tail), []]);
      found.get(key)[2].push(relation);
    }
    return [...found.values()].map(([a, b, relations]) => [a, b, relations.sort(better)]);
  }
  const look = (relation) => {
    const kind = graph.kinds[graph.relations.kind[relation]];
    return `${graph.relations.flags[relation] & NEGATED ? "negated" : kind}${kind === "asserted" ? "" : " inferred"}`;
  };
  function line(a, b, relations, places, role) {
    const [from, to] = [places.get(a), places.get(b)];
    const ends = { x1: from.x, y1: from.y, x2: to.x, y2: to.y };
    const made = shape("g", { class: `${role} ${look(relations[0])}`, tabindex: 0 },
      shape("line", { ...ends, class: "drawn" }), shape("line", { ...ends, class: "reach" }),
      shape("title", {}, relations.slice(0, 5).map(sentence).join("\n")));
    const open = () => {
      document.querySelectorAll(".edge.chosen").forEach((edge) => edge.classList.remove("chosen"));
      made.classList.add("chosen");
      read(relations);
    };
    made.onclick = open;
    made.onkeydown = (event) => { if (event.key === "Enter") open(); };
    return made;
  }
  function mark(node, place, isCentre) {
    const size = isCentre ? 9 : 4 + Math.min(5, Math.log2(1 + degree(node)));
    const name = graph.names[node].length > 28 ? `${graph.names[node].slice(0, 27)}…` : graph.names[node];
    const outward = place.x < -1 ? -1 : 1; // a name stands where no line comes from
    const made = shape("g", { class: isCentre ? "node centre" : "node", tabindex: 0,
      transform: `translate(${place.x} ${place.y})` },
      shape("circle", { r: size }), shape("text", { x: outward * (size + 3), y: 4, "text-anchor": outward < 0 ? "end" : "start" }, name),
      shape("title", {}, `${graph.names[node]} (${graph.categories[graph.category[node]]})`));
    const go = () => { limit = SHOWN; show(node); };
    made.onclick = go;
    made.onkeydown = (event) => { if (event.key === "Enter") go(); };
    return made;
  }
  function pan() {
    const canvas = byId("canvas");
    let held = null;
    const box = () => canvas.getAttribute("viewBox").split(" ").map(Number);
    canvas.onpointerdown = (event) => { if (event.target === canvas) { held = [event.clientX, event.clientY, ...box()]; canvas.setPointerCapture(event.pointerId); } };
    canvas.onpointerup = () => { held = null; };
    canvas.onpointermove = (event) => {
      if (!held) return;
      const scale = held[4] / canvas.clientWidth;
      canvas.setAttribute("viewBox", `${held[2] - (event.clientX - held[0]) * scale} ${held[3] - (event.clientY - held[1]) * scale} ${held[4]} ${held[5]}`);
    };
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      const [x, y, width, height] = box(), factor = event.deltaY > 0 ? 1.15 : 1 / 1.15;
      const at = [x + width * event.offsetX / canvas.clientWidth, y + height * event.offsetY / canvas.clientHeight];
      canvas.setAttribute("viewBox", `${at[0] - (at[0] - x) * factor} ${at[1] - (at[1] - y) * factor} ${width * factor} ${height * factor}`);
    }, { passive: false });
  }

  // ---- panel
  const sentence = (relation) => {
    const r = graph.relations, flags = r.flags[relation];
    const verb = graph.verbs[r.predicate[relation]][graph.plural[r.head[relation]]];
    return `${flags & NEGATED ? "Denied: " : ""}${graph.names[r.head[relation]]} ${flags & SPECULATIVE ? "perhaps " : ""}${verb} ${graph.names[r.tail[relation]]}`;
  };
  const strength = (relation) => graph.kinds[graph.relations.kind[relation]] === "asserted"
    ? count(graph.relations.articles[relation], "article")
    : `${graph.kinds[graph.relations.kind[relation]]}, inferred`;
  function row(relation, open) {
    const button = element("button", { type: "button", className: look(relation), onclick: open },
      sentence(relation), element("small", {}, ` (${strength(relation)}, ${graph.relations.confidence[relation] / 100})`));
    return element("li", {}, button);
  }
  function describe(entity, shown) {
    byId("panel").replaceChildren(
      element("h2", {}, graph.names[entity]),
      element("div", { className: "soft" }, `${graph.categories[graph.category[entity]]}, ${graph.ids[entity]}, ${count(degree(entity), "relation")}`),
      element("ul", {}, ...shown.flatMap(([, relations]) => relations).map((relation) => row(relation, () => read([relation])))));
    byId("panel").scrollTop = 0;
  }
  function read(relations) {
    const back = element("button", { type: "button", onclick: () => show(centre) }, "← all relations");
    const parts = relations.map((relation) => {
      const part = element("section", {}, element("h2", { className: look(relation) }, sentence(relation)),
        element("div", { className: "soft" }, `${strength(relation)}, confidence ${graph.relations.confidence[relation] / 100}`));
      support(relation, (found) => part.append(...(found.sentences ? stated(found) : inferred(found))));
      return part;
    });
    byId("panel").replaceChildren(back, ...parts);
    byId("panel").scrollTop = 0;
  }
  function stated(found) {
    const quoted = found.sentences.map(([article, section, quote, head, tail]) => element("div", {},
      element("blockquote", {}, ...emphasised(quote, [head, tail])), cite(article, section)));
    const silent = found.articles.length > 0 && !found.sentences.length;
    return silent ? [element("p", {}, `The sentences are not passed on (licence). Stated in: ${found.articles.join(", ")}.`)] : quoted;
  }
  function inferred(found) {
    const list = found.premises.map((premise) => row(premise, () => read([premise])));
    return [element("p", {}, `Nobody states this; it follows by the rule ${found.rule || "of its kind"}${list.length ? " from:" : "."}`), element("ul", {}, ...list)];
  }
  function emphasised(quote, names) {
    const spans = names.map((name) => [quote.indexOf(name), name.length]).filter(([at, length]) => at >= 0 && length)
      .sort((a, b) => a[0] - b[0]);
    const parts = [];
    let done = 0;
    for (const [at, length] of spans) {
      if (at < done) continue;
      parts.push(quote.slice(done, at), element("mark", {}, quote.slice(at, at + length)));
      done = at + length;
    }
    return [...parts, quote.slice(done)];
  }
  function cite(article, section) {
    const [title, journal, year, address] = graph.articles[article] || ["", "", "", ""];
    const name = address ? element("a", { href: address, rel: "noreferrer", target: "_blank" }, article) : article;
    return element("small", {}, name, ` ${[title, journal, year].filter(Boolean).join(", ")}${section ? ` › ${section}` : ""}`);
  }

  // ---- sentences, one script a block
  function support(relation, then) {
    const number = Math.floor(relation / graph.block), place = relation % graph.block;
    if (blocks.has(number)) return then(blocks.get(number)[place]);
    if (waiting.has(number)) return waiting.get(number).push([place, then]);
    waiting.set(number, [[place, then]]);
    const script = element("script", { src: `data/evidence-${number}.js` });
    script.onerror = () => { byId("panel").append(element("p", {}, `data/evidence-${number}.js is missing; export the graph again.`)); };
    document.head.append(script);
  }
  function evidence(number, rows) {
    blocks.set(number, rows);
    for (const [place, then] of waiting.get(number) || []) then(rows[place]);
    waiting.delete(number);
  }
  return { graph: load, evidence };
})();

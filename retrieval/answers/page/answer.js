// Draws the evidence graph and lets it be moved; reads the data in the page, loads nothing, writes text as text only.
"use strict";
(() => {
  const svg = document.getElementById("graph");
  if (!svg) return;
  const data = JSON.parse(document.getElementById("graph-data").textContent);
  const reading = document.getElementById("reading");
  const XMLNS = "http://www.w3.org/2000/svg";
  const LABEL_HEIGHT = 30, WORDS_HEIGHT = 18, LONGEST = 34, ROOM = 56;
  const PLACES = [0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74];

  const make = (tag, attributes, parent) => {
    const element = document.createElementNS(XMLNS, tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    parent.append(element);
    return element;
  };
  const short = (text) => (text.length > LONGEST ? text.slice(0, LONGEST - 1) + "…" : text);

  // Things start on a circle in a fixed order, so that the same graph is always drawn the same way.
  const count = data.nodes.length;
  const nodes = data.nodes.map((node, i) => ({
    name: node.name, x: 160 * Math.cos((2 * Math.PI * i) / count), y: 160 * Math.sin((2 * Math.PI * i) / count),
    dx: 0, dy: 0, held: false, width: 0,
  }));
  const beside = new Map(); // number of edges between two nodes, so that they are drawn side by side
  const edges = data.edges.filter((edge) => edge.from !== edge.to).map((edge) => {
    const pair = [edge.from, edge.to].sort((a, b) => a - b).join("-");
    const rank = beside.get(pair) || 0;
    beside.set(pair, rank + 1);
    return { ...edge, pair, rank, a: nodes[edge.from], b: nodes[edge.to] };
  });

  const scene = make("g", {}, svg);
  const edgeLayer = make("g", {}, scene);
  const nodeLayer = make("g", {}, scene);
  for (const edge of edges) {
    const words = (edge.look === "negated" ? "denied: " : "") + edge.label;
    const name = `${edge.look === "negated" ? "Denied: " : ""}${edge.a.name} ${edge.label} ${edge.b.name}`;
    const group = make("g", { class: `edge ${edge.look}`, tabindex: "0", role: "button", "aria-label": name }, edgeLayer);
    edge.group = group;
    edge.reach = make("path", { class: "reach" }, group);
    edge.line = make("path", { class: "line" }, group);
    edge.text = make("text", {}, group);
    edge.text.textContent = words;
    edge.length = edge.text.getComputedTextLength() + ROOM;
    edge.head = make("polygon", { class: "head", points: "0,0 -11,5 -11,-5" }, group);
    group.addEventListener("click", () => choose(edge, name));
    group.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      choose(edge, name);
    });
  }
  for (const node of nodes) {
    node.group = make("g", { class: "node" }, nodeLayer);
    const box = make("rect", { rx: 8, height: LABEL_HEIGHT, y: -LABEL_HEIGHT / 2 }, node.group);
    const text = make("text", {}, node.group);
    text.textContent = short(node.name);
    make("title", {}, node.group).textContent = node.name;
    node.width = text.getComputedTextLength() + 22;
    box.setAttribute("width", node.width);
    box.setAttribute("x", -node.width / 2);
  }

  // Forces: all names push each other away, edges pull, everything is drawn to the middle.
  let heat = 1;
  const step = () => {
    for (const one of nodes) {
      for (const other of nodes) {
        if (one === other) continue;
        const dx = one.x - other.x, dy = (one.y - other.y) * 1.6; // names are wider than high
        const square = Math.max(dx * dx + dy * dy, 100);
        const push = 26000 / (square * Math.sqrt(square));
        one.dx += dx * push;
        one.dy += dy * push;
      }
      one.dx -= one.x * 0.012;
      one.dy -= one.y * 0.022;
    }
    for (const { a, b, length: wanted } of edges) {
      const dx = b.x - a.x, dy = b.y - a.y, length = Math.hypot(dx, dy) || 1;
      const pull = ((length - wanted - (a.width + b.width) / 2) / length) * 0.05;
      a.dx += dx * pull; a.dy += dy * pull;
      b.dx -= dx * pull; b.dy -= dy * pull;
    }
    for (const node of nodes) {
      if (!node.held) {
        node.x += Math.max(-20, Math.min(20, node.dx)) * heat;
        node.y += Math.max(-20, Math.min(20, node.dy)) * heat;
      }
      node.dx = node.dy = 0;
    }
    heat *= 0.99;
  };

  const border = (node, fromX, fromY) => { // where a line from a point meets the box of a name
    const dx = fromX - node.x, dy = fromY - node.y;
    const scale = Math.min((node.width / 2 + 3) / (Math.abs(dx) || 1e-6), (LABEL_HEIGHT / 2 + 3) / (Math.abs(dy) || 1e-6), 1);
    return [node.x + dx * scale, node.y + dy * scale];
  };
  // Words stand in the middle of their line, or as near to it as nothing is in their way.
  const boxAt = (x, y, width, height) => ({ left: x - width / 2, right: x + width / 2, top: y - height / 2, bottom: y + height / 2 });
  const shared = (a, b) => Math.max(0, Math.min(a.right, b.right) - Math.max(a.left, b.left))
    * Math.max(0, Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top));
  const placeLabels = () => {
    const taken = nodes.map((node) => boxAt(node.x, node.y, node.width, LABEL_HEIGHT));
    for (const edge of edges) {
      let best = null;
      for (const t of PLACES) {
        const [x, y] = edge.at(t), box = boxAt(x, y, edge.length - ROOM + 8, WORDS_HEIGHT);
        const covered = taken.reduce((sum, other) => sum + shared(box, other), 0);
        if (!best || covered < best.covered) best = { x, y, box, covered };
        if (!covered) break;
      }
      taken.push(best.box);
      edge.text.setAttribute("x", best.x);
      edge.text.setAttribute("y", best.y);
    }
  };
  const draw = () => {
    for (const edge of edges) {
      const { a, b } = edge;
      const dx = b.x - a.x, dy = b.y - a.y, length = Math.hypot(dx, dy) || 1;
      const turned = edge.from < edge.to ? 1 : -1; // the same side whichever way an edge runs
      const bend = (edge.rank - (beside.get(edge.pair) - 1) / 2) * 70 * turned;
      const outX = -(dy / length) * bend, outY = (dx / length) * bend;
      const [x1, y1] = border(a, (a.x + b.x) / 2 + outX, (a.y + b.y) / 2 + outY);
      const [x2, y2] = border(b, (a.x + b.x) / 2 + outX, (a.y + b.y) / 2 + outY);
      const cx = (x1 + x2) / 2 + outX, cy = (y1 + y2) / 2 + outY; // in the middle of what is seen of the line
      const path = `M${x1},${y1} Q${cx},${cy} ${x2},${y2}`;
      edge.line.setAttribute("d", path);
      edge.reach.setAttribute("d", path);
      const angle = (Math.atan2(y2 - cy, x2 - cx) * 180) / Math.PI;
      edge.head.setAttribute("transform", `translate(${x2},${y2}) rotate(${angle})`);
      edge.at = (t) => { // a point of the line
        const u = 1 - t;
        return [u * u * x1 + 2 * u * t * cx + t * t * x2, u * u * y1 + 2 * u * t * cy + t * t * y2];
      };
    }
    placeLabels();
    for (const node of nodes) node.group.setAttribute("transform", `translate(${node.x},${node.y})`);
  };

  // What is seen of the drawing, in its own units.
  let view = { x: -300, y: -200, width: 600, height: 400 };
  const show = () => svg.setAttribute("viewBox", `${view.x} ${view.y} ${view.width} ${view.height}`);
  const fit = () => {
    const left = Math.min(...nodes.map((n) => n.x - n.width / 2)) - 20, right = Math.max(...nodes.map((n) => n.x + n.width / 2)) + 20;
    const top = Math.min(...nodes.map((n) => n.y)) - 50, bottom = Math.max(...nodes.map((n) => n.y)) + 50;
    const scale = Math.max((right - left) / svg.clientWidth, (bottom - top) / svg.clientHeight, 0.9);
    view = { width: svg.clientWidth * scale, height: svg.clientHeight * scale };
    view.x = (left + right - view.width) / 2;
    view.y = (top + bottom - view.height) / 2;
    show();
  };
  const scale = () => view.width / svg.clientWidth;

  let running = false;
  const run = () => {
    step();
    draw();
    running = heat > 0.02;
    if (running) requestAnimationFrame(run);
  };
  const warm = (to) => {
    heat = Math.max(heat, to);
    if (!running) { running = true; requestAnimationFrame(run); }
  };

  let grip = null; // what the pointer holds: a node or the ground
  svg.addEventListener("pointerdown", (event) => {
    const group = event.target.closest(".node");
    const node = group && nodes.find((candidate) => candidate.group === group);
    if (!node && event.target.closest(".edge")) return;
    grip = { node, x: event.clientX, y: event.clientY };
    if (node) node.held = true;
    svg.setPointerCapture(event.pointerId);
  });
  svg.addEventListener("pointermove", (event) => {
    if (!grip) return;
    const dx = (event.clientX - grip.x) * scale(), dy = (event.clientY - grip.y) * scale();
    grip.x = event.clientX; grip.y = event.clientY;
    if (grip.node) {
      grip.node.x += dx; grip.node.y += dy;
      warm(0.25);
      draw();
    } else {
      view.x -= dx; view.y -= dy;
      show();
    }
  });
  const release = () => { if (grip && grip.node) warm(0.25); grip = null; };
  svg.addEventListener("pointerup", release);
  svg.addEventListener("pointercancel", release);
  svg.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey) return; // the page scrolls as usual
    event.preventDefault();
    const by = event.deltaY < 0 ? 0.9 : 1 / 0.9;
    const box = svg.getBoundingClientRect();
    const px = (event.clientX - box.left) * scale(), py = (event.clientY - box.top) * scale();
    view = { x: view.x + px * (1 - by), y: view.y + py * (1 - by), width: view.width * by, height: view.height * by };
    show();
  }, { passive: false });
  document.getElementById("fit").addEventListener("click", fit);
  window.addEventListener("resize", fit);

  // The sentences of an edge are copies of the page's own sources.
  const source = (number) => {
    const copy = document.getElementById(`source-${number}`).cloneNode(true);
    copy.removeAttribute("id");
    return copy;
  };
  const choose = (edge, name) => {
    for (const other of edges) other.group.classList.toggle("chosen", other === edge);
    const title = document.createElement("h3");
    title.textContent = name;
    reading.replaceChildren(title);
    if (edge.look === "inferred") {
      const note = document.createElement("p");
      note.className = "hint";
      note.textContent = `Inferred (${edge.kind}); no article states it. It follows from:`;
      reading.append(note);
    }
    for (const premise of edge.premises) {
      const line = document.createElement("p");
      line.textContent = premise.text;
      reading.append(line);
    }
    const numbers = [...new Set([...edge.citations, ...edge.premises.flatMap((premise) => premise.citations)])];
    const list = document.createElement("ol");
    list.append(...numbers.map(source));
    reading.append(list);
  };

  for (let i = 0; i < 250; i += 1) step();
  draw();
  fit();
})();

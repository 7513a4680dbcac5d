"""The look of the page, by day and by night; wide tables and plots scroll by themselves on a narrow screen."""

STYLE = """
:root { color-scheme: light dark; --ink: #1c2530; --paper: #fff; --faint: #5a6673; --rule: #d5dbe1; --grid: #e6eaee;
  --told: #f7f8fa; --bar: #5b8db8; --bar-told: #cfd6dd; --up: #14703a; --down: #a3251b; --warning: #8a4b00; --link: #1a5fb4; }
@media (prefers-color-scheme: dark) { :root { --ink: #dde3ea; --paper: #14181d; --faint: #9aa6b2; --rule: #3a434d;
  --grid: #2a323b; --told: #1c2229; --bar: #5b8db8; --bar-told: #47525e; --up: #5fc98a; --down: #f08a80; --warning: #e5ab5a;
  --link: #8ab8f0; } }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 84rem; margin: 2rem auto; padding: 0 1rem; color: var(--ink);
  background: var(--paper); }
a { color: var(--link); } h1 { font-size: 1.6rem; }
h2 { font-size: 1.25rem; margin-top: 3rem; border-top: 2px solid var(--rule); padding-top: 1rem; }
h3 { font-size: 1rem; margin: 2rem 0 .25rem; } h2 small { font-weight: 400; color: var(--faint); }
.wide, figure { overflow-x: auto; } figure { margin: .5rem 0 1rem; } figcaption { color: var(--faint); }
table { border-collapse: collapse; margin: .5rem 0; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: .3rem .7rem; border-bottom: 1px solid var(--grid); vertical-align: top; }
th { font-size: 13px; vertical-align: bottom; } td b { font-weight: 600; }
td:not(:first-child) { white-space: nowrap; } td:first-child { min-width: 12rem; } td.why { white-space: normal; }
tr.told td { color: var(--faint); background: var(--told); white-space: normal; }
small { font-size: 12px; color: var(--faint); } td small { display: block; }
.up { color: var(--up); font-size: 12px; } .down { color: var(--down); font-size: 12px; }
.note { color: var(--faint); margin: .25rem 0; } span.note { font-size: 12px; }
.warning, small.warning { color: var(--warning); } p.warning { font-weight: 600; margin: .25rem 0; }
svg { display: block; } svg text { font: 12px system-ui, sans-serif; fill: var(--ink); }
svg .label { text-anchor: end; } svg .tick { text-anchor: middle; fill: var(--faint); } svg .value { fill: var(--faint); }
svg .grid { stroke: var(--grid); } svg .bar { fill: var(--bar); } svg .bar.told { fill: var(--bar-told); }
svg .interval { stroke: var(--ink); stroke-width: 1.5; } svg .thin { stroke-width: 1; opacity: .5; }
details { margin: .5rem 0; } pre { overflow-x: auto; background: var(--told); padding: .6rem; font-size: 12px; }
@media (max-width: 40rem) { td:first-child { min-width: 8rem; } th, td { padding: .25rem .4rem; } }
"""

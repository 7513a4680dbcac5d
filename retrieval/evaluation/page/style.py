"""The look of the page."""

STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 84rem; margin: 2rem auto; padding: 0 1rem; color: #1c2530; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.25rem; margin-top: 3rem; border-top: 2px solid #d5dbe1; padding-top: 1rem; }
h3 { font-size: 1rem; margin: 2rem 0 .25rem; } h2 small { font-weight: 400; color: #5a6673; }
.wide { overflow-x: auto; } figure { margin: .5rem 0 1rem; } figcaption { color: #5a6673; }
table { border-collapse: collapse; margin: .5rem 0; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: .3rem .7rem; border-bottom: 1px solid #e6eaee; vertical-align: top; }
th { font-size: 13px; vertical-align: bottom; } td b { font-weight: 600; }
td:not(:first-child) { white-space: nowrap; } td:first-child { min-width: 12rem; }
tr.told td { color: #5a6673; background: #f7f8fa; white-space: normal; }
small { font-size: 12px; color: #5a6673; } td small { display: block; }
.up { color: #14703a; font-size: 12px; } .down { color: #a3251b; font-size: 12px; }
.note { color: #5a6673; margin: .25rem 0; } span.note { font-size: 12px; }
svg { max-width: 100%; height: auto; } svg text { font: 12px system-ui, sans-serif; fill: #1c2530; }
svg .label { text-anchor: end; } svg .tick { text-anchor: middle; fill: #5a6673; } svg .value { fill: #5a6673; }
svg .grid { stroke: #e6eaee; } svg .bar { fill: #5b8db8; } svg .bar.told { fill: #cfd6dd; }
svg .interval { stroke: #1c2530; stroke-width: 1.5; } svg .thin { stroke-width: 1; opacity: .5; }
details { margin: .5rem 0; } pre { overflow-x: auto; background: #f5f7f9; padding: .6rem; font-size: 12px; }
"""

import { inline } from "./inline.ts";

/** The colours of every page, light and dark. */
export const palette = `:root{color-scheme:light dark;--ground:#f4f3ee;--card:#fff;--text:#17211d;--soft:#4d5a54;--line:#d8d9d1;--accent:#0b5b50;--on-accent:#fff;--own:#cfe6df;--near:#f3f1e9;--far:#e6e3d8;--sea:#d9e4ea;--wrong:#9b1c1c}
@media(prefers-color-scheme:dark){:root{--ground:#101614;--card:#1a2320;--text:#e8eeeb;--soft:#a9b6b0;--line:#36423d;--accent:#7ed3c1;--on-accent:#07251f;--own:#234a42;--near:#202a27;--far:#262a25;--sea:#152128;--wrong:#ffb4ab}}`;

/** Lines are kept short of spaces where it is easy; gzip does the rest. Directions are logical, so that Arabic needs no rules of its own. */
export const pageStyles = inline(`${palette}
*{box-sizing:border-box}
[hidden]{display:none!important}
body{margin:0;background:var(--ground);color:var(--text);font:1.0625rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","Noto Sans Arabic",Arial,sans-serif;overflow-wrap:anywhere}
header,main,footer{max-width:40rem;margin:auto;padding:.75rem min(1rem,4.5vw)}
a{color:var(--accent)}
a:focus-visible,button:focus-visible,input:focus-visible,summary:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
.home{display:inline-flex;align-items:center;gap:.5rem;min-height:2.75rem;color:var(--text);font-weight:600;text-decoration:none}
.home svg{width:1.5rem;height:1.5rem;fill:var(--accent)}
.site ul{display:flex;flex-wrap:wrap;gap:0 1.125rem;padding:0;list-style:none}
.site a,footer a,.way a{display:inline-flex;align-items:center;min-height:2.75rem;min-width:2.75rem}
section{background:var(--card);border:1px solid var(--line);border-radius:.75rem;padding:1rem min(1.125rem,5vw);margin:0 0 1rem}
h1,h2,p,dl,dd,ul{margin:0}
.unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
h1{font-size:1.625rem;line-height:1.25;text-wrap:balance}
h2{font-size:1rem;margin-bottom:.625rem}
h1~p{margin-top:.75rem}
.code~p{margin-top:.25rem}
.kind{color:var(--soft);font-size:.9375rem}
.code{font:700 max(1.7rem,min(9.6vw,3.5rem))/1.15 ui-monospace,"Cascadia Mono","Roboto Mono","DejaVu Sans Mono",monospace;letter-spacing:-.02em}
.label{font-size:1.3125rem;line-height:1.35}
.label,.entered{overflow:hidden;padding-block:.25rem}
.buttons{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(8rem,100%),1fr));gap:.625rem;padding:0;list-style:none}
.buttons li{display:grid}
.buttons .wide{grid-column:1/-1}
.button,button{display:flex;align-items:center;justify-content:center;width:100%;min-height:3rem;padding:.375rem .25rem;border:1px solid var(--accent);border-radius:.5rem;background:none;color:var(--accent);font:inherit;font-size:.9375rem;font-weight:600;line-height:1.25;text-align:center;text-decoration:none;cursor:pointer}
.button:hover,button:hover{text-decoration:underline}
.first{background:var(--accent);color:var(--on-accent)}
figure{margin:0 0 1rem}
.map{display:block;width:100%;height:auto;border:1px solid var(--line);border-radius:.75rem;background:var(--sea)}
.map text{font:600 10px system-ui,sans-serif;fill:var(--soft);text-anchor:middle}
.map .own-name{fill:var(--text);font-size:11.5px}
.map rect{stroke:var(--line)}
.map .far{fill:var(--far)}
.map .near{fill:var(--near)}.map .own{fill:var(--own);stroke:var(--accent);stroke-width:1.5}
.border{fill:none;stroke:var(--soft);stroke-width:1.5;stroke-dasharray:6 2 1.5 2}
.pin{fill:var(--accent);stroke:var(--card);stroke-width:2.5}
.scale{fill:none;stroke:var(--text);stroke-width:1.5}
.map .scale-name{fill:var(--text);text-anchor:start}
dl{display:grid;gap:.75rem}
dt{color:var(--soft);font-size:.9375rem}
.value{display:flex;flex-wrap:wrap;align-items:center;justify-content:space-between;gap:.25rem .75rem}
.value button{width:auto;padding-inline:.75rem;min-height:2.75rem}
.value span{user-select:all}
label{display:block;font-weight:600;margin-bottom:.375rem}
.row{display:flex;flex-wrap:wrap;gap:.625rem}
input{flex:1 1 12rem;min-width:0;min-height:3rem;padding:.375rem .75rem;border:1px solid var(--soft);border-radius:.5rem;background:var(--ground);color:var(--text);font:600 1.25rem ui-monospace,"Roboto Mono","DejaVu Sans Mono",monospace}
.row button{flex:0 1 8rem}
.help{color:var(--soft);font-size:.9375rem;margin-top:.5rem}
.state{min-height:1.5em;margin-bottom:.5rem}
.wrong{color:var(--wrong)}
footer ul{display:flex;flex-wrap:wrap;gap:0 1rem;padding:0;list-style:none}
footer p{margin-top:.75rem}
[aria-current]{color:var(--text);font-weight:600;text-decoration:none}
@media(max-width:22rem){section{padding:.875rem}}
`);

import { inline } from "./inline.ts";

/** The colours of every page, light and dark. */
export const palette = `:root{color-scheme:light dark;--ground:#eef2ee;--card:#fff;--text:#14211d;--soft:#4f5e58;--line:#d3dad4;--accent:#0b5d4e;--on-accent:#fff;--own:#e0efe9;--near:#ebe8e0;--wrong:#b3261e;--water:#c9e0ec;--green:#d3e6c6;--house:#d8d0c1;--way:#fff;--edge:#837d6d}
@media(prefers-color-scheme:dark){:root{--ground:#0e1513;--card:#18211e;--text:#e8eeeb;--soft:#a9b6b0;--line:#34413c;--accent:#7ed3c1;--on-accent:#07251f;--own:#1f3b34;--near:#202a27;--wrong:#ffb4ab;--water:#1b3a4a;--green:#223a22;--house:#39423e;--way:#4a5651;--edge:#7d8c86}}`;

/** The first styles of every page, also those for developers: the frame, and a bar across the screen with the registry's name and links. */
export const frameStyles = `${palette}
*{box-sizing:border-box}
[hidden]{display:none!important}
.site,main{max-width:65rem;margin:auto;padding:.75rem min(1rem,4.5vw)}
header.site{display:flex;flex-wrap:wrap;align-items:center;gap:0 .75rem;padding-block:.25rem;border-image:linear-gradient(var(--card) 0 0) fill 0//0 100vw}
.home{flex:0 1 clamp(8.5rem,38vw,20rem);margin-inline-end:auto;display:flex;align-items:center;gap:.5rem;min-height:44px;color:var(--text);font-size:.9375rem;font-weight:700;line-height:1.2;text-decoration:none}
@media(min-width:40rem){.home{font-size:1.0625rem}}
.home span{display:-webkit-box;-webkit-box-orient:vertical;-webkit-line-clamp:3;overflow:hidden}
.home>:first-child{flex:none;width:1.5rem;height:1.5rem;object-fit:contain;fill:var(--accent)}
.site ul{display:flex;flex-wrap:wrap;gap:0 min(1.125rem,3vw);padding:0;margin:0;list-style:none}
.site li a,.way a{display:inline-flex;align-items:center;min-height:44px;min-width:44px}
.site li a{justify-content:center}
header.site li a{font-size:.9375rem;font-weight:600;text-decoration:none}
header.site [aria-current]{color:var(--text);box-shadow:inset 0 -3px var(--accent)}
a{color:var(--accent)}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}`;

/**
 * The base styles of pages for people. Lines leave out spaces where that is easy; gzip does the rest. Directions are logical, so that
 * Arabic needs no rules of its own.
 */
export const baseStyles = `${frameStyles}
body{margin:0;background:var(--ground);color:var(--text);font:1.0625rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","Noto Sans Arabic",Arial,sans-serif;overflow-wrap:anywhere}
.site,main{max-width:42rem}
footer.site{display:flex;flex-wrap:wrap;border-image:linear-gradient(var(--line) 0 0) 1 0 0/1px 0 0/0 100vw;margin-top:1rem;color:var(--soft);font-size:.9375rem}
footer.site,footer.site ul{column-gap:min(1.125rem,2vw)}
footer.site p,footer.site [open]{flex-basis:100%}
footer.site a{color:inherit}
footer.site [aria-current]{color:var(--text);font-weight:600;text-decoration:none}
footer.site svg{width:1.25rem;height:1.25rem;margin-inline-end:.375rem;fill:none;stroke:currentColor;stroke-width:1.5}
footer.site summary::before{content:none}
.plate{display:block;width:100%;height:auto;print-color-adjust:exact;-webkit-print-color-adjust:exact}
section{background:var(--card);border:1px solid var(--line);border-radius:1rem;padding:1rem min(1.125rem,5vw);margin:0 0 1rem}
h1,h2,p,dl,dd,ul{margin:0}
.unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
h1{font-size:1.75rem;line-height:1.2;text-wrap:balance}
h2{font-size:1.0625rem;margin-bottom:.5rem}
h1~p,h1+*{margin-top:.75rem}
main>h1+p{margin-bottom:1rem}
.code~p{margin-top:.25rem}
.kind{color:var(--soft);font-size:.9375rem}
.code{font-size:1.375rem;font-weight:700;font-variant-numeric:tabular-nums}
.label{font-size:1.375rem;font-weight:700;line-height:1.3}
.label,.entered{overflow:hidden;padding-block:.25rem}
.buttons{display:flex;flex-wrap:wrap;gap:.625rem;padding:0;list-style:none}
.buttons li{flex:1 1 8rem;display:flex;max-width:100%}
.buttons li>*{min-width:0}
.buttons .wide{flex-basis:100%}
.button,button{display:flex;align-items:center;justify-content:center;width:100%;min-height:3rem;padding:.375rem .25rem;border:0;border-radius:.75rem;background:var(--own);color:var(--accent);font:inherit;font-size:.9375rem;font-weight:600;line-height:1.25;text-align:center;text-decoration:none;overflow-wrap:break-word;cursor:pointer}
.button:hover,button:hover{text-decoration:underline}
.first{background:var(--accent);color:var(--on-accent)}
:disabled{background:var(--line);color:var(--soft);cursor:default;text-decoration:none}
.way a{padding-block:.25rem}
.way+.way{margin-top:0}
summary{min-height:2.75rem;padding-block:.375rem;display:flex;align-items:center;cursor:pointer;font-weight:600}
summary::before{content:"+";flex:none;width:1.25rem;font-weight:700}
[open]>summary::before{content:"−"}
summary:hover{text-decoration:underline}
@media(max-width:22rem){section{padding:.875rem}}
@media(min-width:40rem){main>form>button,section>form>button,p>.button,p>button,.field+.button{width:fit-content;min-width:14rem;padding-inline:1.5rem}}`;

/** The styles that most pages add: fields, what folds, and pairs of a name and a value. */
export const pageStyles = inline(`${baseStyles}
dl{display:grid;gap:.75rem}
dt{color:var(--soft);font-size:.9375rem}
.value{display:flex;flex-wrap:wrap;align-items:center;gap:.25rem .75rem}
.value>:not(button){flex:1 1 6rem}
bdi,.value span{text-align:-webkit-match-parent;text-align:match-parent}
.value button{flex:none;width:auto;margin-inline-start:auto;padding-inline:.75rem;min-height:2.75rem}
.value span{user-select:all}
label{display:block;font-weight:600;margin-bottom:.375rem}
.row{display:flex;flex-wrap:wrap;gap:.625rem}
input{flex:1 1 12rem;min-width:0;min-height:3rem;padding:.375rem .5rem;border:1px solid var(--soft);border-radius:.5rem;background:var(--card);color:var(--text);font:inherit;font-size:1.375rem;font-weight:600;font-variant-numeric:tabular-nums}
[aria-invalid=true]{border:2px solid var(--wrong)}
.row button{flex:0 1 5rem}
.help{color:var(--soft);font-size:.9375rem;margin-top:.5rem}
.state:empty{display:none}
.wrong{color:var(--wrong)}
.right{color:var(--accent)}
p.right{font-weight:600}
p.right::before{content:"✓ "}
input.right{border:2px solid var(--accent)}
details>*+*{margin-bottom:.75rem}
`);

/** The drawing of streets, in the colours of the page. Lengths are units of the drawing, two to a CSS pixel. */
export const streetStyles = `
.pin{fill:var(--wrong);stroke:var(--card);stroke-width:2.5}
.scale{fill:none;stroke:var(--text);stroke-width:1.5}
.streets{display:block;width:100%;height:auto;background:var(--near);font-size:22px}
.streets .ground>path,.streets use{fill:none;stroke:var(--way);stroke-linecap:round;stroke-linejoin:round}
.streets .ground>.area{stroke:none;fill:var(--way)}
.streets .ground>.water{stroke:var(--water);stroke-width:8}
.streets .ground>.water.area{fill:var(--water);stroke:none}
.streets .ground>.green{stroke:var(--green)}
.streets .ground>.green.area{fill:var(--green)}
.streets .ground>.building.area{fill:var(--house);stroke:var(--near);stroke-width:2}
.streets .path{stroke-width:5;stroke-dasharray:8 8}
.streets .ground>.rail{stroke:var(--soft);stroke-width:3}
.streets .street{stroke-width:14}
.streets .road{stroke-width:22}
.streets .highway{stroke-width:30}
.streets .edge{stroke:var(--edge)}
.streets .edge.street{stroke-width:19}
.streets .edge.road{stroke-width:27}
.streets .edge.highway{stroke-width:35}
.streets text{fill:var(--soft);paint-order:stroke;stroke:var(--near);stroke-width:4px}
.streets .names{text-anchor:middle;dominant-baseline:central;font-weight:400}
.streets .names .large{font-size:1.15em}
.streets .pin{fill:#b3261e;stroke:#fff;stroke-width:4;fill-rule:evenodd}
.streets .end{text-anchor:end}
@media(min-width:40rem){.streets{font-size:16px}}
`;

/** The styles of fields and choices (fields.tsx). Directions are logical, so that Arabic needs no rules of its own. */
export const fieldStyles = `
.field{margin-top:1rem}
.field label{margin-bottom:0}
.field .help{margin-top:.25rem}
.field input,.field select,select,textarea{display:block;width:100%;min-height:3rem;margin-top:.375rem;padding:.375rem .75rem;border:1px solid var(--soft);border-radius:.5rem;background:var(--card);color:var(--text);font:inherit;font-size:1.0625rem}
.field [aria-invalid=true]{border:2px solid var(--wrong)}
.choice{display:flex;align-items:center;gap:.625rem;min-height:2.75rem;padding-block:.25rem;font-weight:400;margin-bottom:0}
.choice input{flex:none;width:1.375rem;height:1.375rem;min-height:0;margin:0;padding:0;accent-color:var(--accent)}
fieldset{border:0;padding:0;margin:1rem 0 0;min-width:0}
legend{padding:0;font-weight:600}
`;

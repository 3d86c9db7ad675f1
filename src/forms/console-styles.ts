import { fieldStyles, pageStyles, streetStyles } from "../web/styles.ts";

/** Styles that the console's forms add to those of all pages. Directions are logical, so that Arabic needs no rules of its own. */
export const formStyles = `
h1{margin-block:.25rem .75rem}
main>*+p,main>*+ul,main>*+form,main>*+search,main>p+section{margin-top:1rem}
main>section:not(:last-child),main>ul,main>form{margin-bottom:1rem}
form>*+*,section>*+*,.field>*+*,#scanner>*+*{margin-top:.625rem}
form .buttons,form>dl{margin-top:1rem}
${fieldStyles}form>[type=hidden]+.field,section>:is(.field,fieldset):first-child{margin-top:0}
.summary{border:2px solid var(--wrong);border-radius:.75rem;padding:.75rem 1rem;margin-bottom:1rem}
.summary a{color:var(--wrong);display:inline-flex;align-items:center;min-height:2.75rem}
.notice{border:2px solid var(--accent);border-radius:.75rem;padding:.75rem 1rem;margin-bottom:1rem;font-weight:600}
.step{color:var(--soft);font-size:.9375rem}
.small,.inline button{width:auto;min-height:2.75rem;padding-inline:1rem}
.link{width:auto;min-width:2.75rem;padding:0;background:none;font-size:inherit;font-weight:400;text-decoration:underline}
nav.console ul{display:flex;flex-wrap:wrap;gap:0 1.25rem;align-items:center;padding:0;margin:1rem 0 0;list-style:none}
.way+nav.console ul{margin-top:0}
nav.console li form,nav.console .link{margin:0}
nav.console a,.link{display:inline-flex;align-items:center;min-height:2.75rem}
@media(scripting:enabled){#gps[hidden]{display:block!important}#drag[hidden]{display:inline!important}[data-hide][hidden]{display:flex!important}}
.field:has(>[data-shows]){display:grid;grid:auto-flow dense/1fr auto;column-gap:.5rem}
.field>:not(input,button){grid-column:1/-1}
.field>[data-shows]{grid-column:2;margin-top:.375rem;min-height:3rem}
`;

/** Styles that the console's other pages add to those. */
export const consoleStyles = `${formStyles}
search .row input{margin-top:0}
.inline{display:flex;flex-wrap:wrap;gap:.5rem;align-items:center}
legend+.inline,fieldset+.small{margin-top:.5rem}
.danger{color:var(--wrong)}
button[aria-current]{background:var(--own)}
video{display:block;width:100%;border-radius:.5rem}
meter{display:block;width:100%;height:1rem}
.cards{display:grid;gap:.75rem;padding:0;list-style:none}
.cards li{background:var(--card);border:1px solid var(--line);border-radius:.75rem;padding:.75rem 1rem;display:grid;align-content:start;gap:.25rem}
.cards a{display:inline-flex;align-items:center;min-height:2.75rem;min-width:2.75rem}
.cards .choice{min-height:2.75rem}
.secret{font:600 1.0625rem ui-monospace,"Roboto Mono","DejaVu Sans Mono",monospace;overflow-wrap:anywhere;user-select:all;padding:.75rem;border-radius:.5rem;background:var(--ground);margin-top:.5rem}
pre.secret{white-space:pre-wrap;font-weight:400;font-size:.9375rem}
.answers>div{display:grid;grid-template-columns:1fr auto;gap:0 1rem}
.answers dd:last-child{grid-area:1/2/span 3}
::file-selector-button{min-height:2.75rem;margin-inline-end:.75rem;padding:.375rem 1rem;border:0;border-radius:.75rem;background:var(--own);color:var(--accent);font:inherit;font-weight:600}
.rows>div{display:flex;flex-wrap:wrap;align-items:center;gap:.25rem 1rem}
.rows .value{flex:1 1 auto}
.doors{padding:0;list-style:none}
details+.doors{margin-top:0}
.doors a{display:flex;align-items:center;justify-content:space-between;min-height:3rem;font-weight:600;text-decoration:none}
.doors a:after{content:"›"}
.doors a:hover{text-decoration:underline}
.for{display:flex;align-items:center;gap:.5rem;min-height:44px;overflow-wrap:anywhere}
.for svg{flex:none;width:1.5rem;height:1.5rem;fill:var(--accent)}
[data-sends]{overflow-wrap:anywhere}
[data-sends]:disabled{opacity:.6}
.done{text-align:center}
.empty{text-align:center;padding-block:1.5rem}
.empty svg{width:8rem;height:5.5rem;fill:var(--accent);margin:0 auto .5rem;display:block}
@media(min-width:40rem){main>form:has(>.cards){max-width:none}.cards{grid-template-columns:repeat(auto-fit,minmax(17rem,1fr))}}
`;

/** Styles that the page of one of the visitor's addresses adds to those. */
export const ownStyles = `
.done .streets{border-radius:.75rem}
@media(scripting:enabled){.done [hidden]{display:flex!important}}
.done h1{max-width:20rem;margin-inline:auto}
.done .streets+h1{position:relative;max-width:15rem;margin-top:-1.5rem}
`;

/** Styles that the pages on which a pin is placed add to those. */
export const pinStyles = `
.spot-frame{position:relative;width:288px;height:216px;margin:.75rem auto .5rem;touch-action:none;overflow:hidden}
.spot-frame input{position:absolute;inset:0;width:288px;height:216px;min-height:0;margin:0;padding:0;border:0;opacity:0;cursor:crosshair}
.spot-frame:focus-within{outline:3px solid var(--accent);outline-offset:2px}
.spot{display:block;width:288px;height:216px;background:var(--near);font:600 10px system-ui,sans-serif}
.spot text{fill:var(--text);text-anchor:middle}
.spot .licence{text-anchor:end;font-weight:400}
.spot .scale-name{text-anchor:start}
section:empty{display:none}
.ring{fill:none;stroke:var(--soft);stroke-dasharray:2 3}
.accuracy{fill:var(--accent);fill-opacity:.14;stroke:var(--accent)}
.first-fix{fill:none;stroke:var(--accent);stroke-width:2}
.edge{fill:none;stroke:var(--soft);stroke-width:1.5;stroke-dasharray:6 3}
.other{fill:var(--text)}
.cross{fill:none;stroke:var(--wrong);stroke-width:2.5}
.north{fill:none;stroke:var(--text);stroke-width:1.5}
.pad{direction:ltr;display:grid;grid-template-columns:repeat(2,minmax(0,7rem));justify-content:center;gap:.375rem;margin-top:.75rem}
.pad button{padding:.25rem}
.pad :first-child,.pad :last-child{grid-column:1/-1;justify-self:center;max-width:7rem}
summary+.field>label{position:absolute;clip-path:inset(50%)}
.row-choices{display:flex;flex-wrap:wrap;gap:0 1.25rem}
.sticky{position:sticky;bottom:0;z-index:1;padding-block:.75rem;margin-inline:max(-1rem,-4.5vw);padding-inline:min(1rem,4.5vw);background:var(--ground)}
.chips{display:flex;flex-wrap:wrap;gap:.5rem;padding:0;list-style:none}
.chips button{min-height:2.75rem;padding-inline:1rem;border-radius:1.5rem}
@media(scripting:enabled){.no-script{display:none}.chips [hidden]{display:flex!important}.spot-frame{width:auto;height:auto;aspect-ratio:4/3;margin-inline:max(-1rem,-4.5vw)}.spot-frame input,.spot{width:100%;height:100%}}
@media(min-width:44rem)and (scripting:enabled){.spot-frame{margin-inline:0;border-radius:1rem}.spot{font-size:6.5px}.spot .streets .names text{font-size:.65em}}
`;

/** All styles of the console's pages, for the file that browsers cache. */
export const allStyles = pageStyles.text + consoleStyles + pinStyles + streetStyles + ownStyles;

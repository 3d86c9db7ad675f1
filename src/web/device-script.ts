import { inline } from "./inline.ts";

/** Shows the buttons that need a script and gives them their work: copying, sharing, printing. */
export const deviceScript = inline(`{
const can={copy:navigator.clipboard,share:navigator.share,print:window.print};
const work={copy:async b=>{await navigator.clipboard.writeText(b.dataset.text);
const said=b.textContent;document.querySelector("[role=status]").textContent=b.textContent=b.dataset.done;
setTimeout(()=>b.textContent=said,2000)},
share:b=>navigator.share({title:document.title,url:b.dataset.text}).catch(()=>{}),
print:()=>window.print()};
for(const b of document.querySelectorAll("[data-does]")){const does=b.dataset.does;
if(can[does]){b.hidden=false;if(b.parentNode.hidden)b.parentNode.hidden=false;b.onclick=()=>work[does](b)}}}`);

import { inline } from "./inline.ts";

/** Shows the buttons that need a script and gives them their work: copying, sharing, printing. */
export const deviceScript = inline(`{
const can={copy:navigator.clipboard,share:navigator.share,print:window.print};
const says=document.querySelector("[role=status]");
const work={copy:async(b,name)=>{await navigator.clipboard.writeText(b.dataset.text);
says.textContent=b.textContent=b.dataset.done;
setTimeout(()=>{b.textContent=name;says.textContent=""},2000)},
share:b=>navigator.share({title:document.title,url:b.dataset.text}).catch(()=>{}),
print:()=>window.print()};
for(const b of document.querySelectorAll("[data-does]")){const does=b.dataset.does,name=b.textContent;
if(can[does]){b.hidden=b.parentNode.hidden=false;b.onclick=()=>work[does](b,name)}}}`);

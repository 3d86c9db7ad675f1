import { inline } from "./inline.ts";

/**
 * Shows the buttons that need a script and gives them their work: copying, sharing, printing. Where a browser refuses to copy, as those inside
 * other applications do, the text beside the button is selected, or put there first.
 */
export const deviceScript = inline(`{
const can={copy:navigator.clipboard,share:navigator.share,print:window.print};
const says=document.querySelector("[role=status]");
const work={copy:async(b,name)=>{const{text}=b.dataset;
try{await navigator.clipboard.writeText(text)}catch{let beside=b.previousElementSibling;
if(!beside){beside=document.createElement("bdi");beside.textContent=text;b.before(beside)}
return getSelection().selectAllChildren(beside)}
says.textContent=b.textContent=b.dataset.done;
setTimeout(()=>{b.textContent=name;says.textContent=""},2000)},
share:b=>navigator.share({title:document.title,url:b.dataset.text}).catch(()=>{}),
print:()=>window.print()};
for(const b of document.querySelectorAll("[data-does]")){const does=b.dataset.does,name=b.textContent;
if(can[does]){b.hidden=b.parentNode.hidden=false;b.onclick=()=>work[does](b,name)}}}`);

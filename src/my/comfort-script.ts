import { inline } from "../web/inline.ts";

/** What all forms of the console gain where scripts run: a password can be shown, characters are counted, and nothing is sent twice. */
export const comfortScript = inline(`{
const d=document;
for(const b of d.querySelectorAll("[data-shows]")){const field=d.getElementById(b.dataset.shows),show=b.textContent;
b.hidden=false;b.onclick=()=>{const seen=field.type=="text";field.type=seen?"password":"text";b.textContent=seen?show:b.dataset.hide;b.setAttribute("aria-pressed",!seen)}}
for(const says of d.querySelectorAll("[data-counts]")){const field=d.getElementById(says.dataset.counts);
const count=()=>{const left=200-[...field.value].length;says.textContent=left<50?says.dataset.left.replace("{n}",left):""};field.oninput=count;count()}
for(const f of d.forms)f.addEventListener("submit",e=>{if(f.dataset.sent)e.preventDefault();f.dataset.sent=1});
addEventListener("pageshow",()=>{for(const f of d.forms)delete f.dataset.sent})}`);

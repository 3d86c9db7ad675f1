import { inline } from "../web/inline.ts";

/**
 * Moves the ground below the pin without a round trip: by dragging, by choosing a point, and by the buttons. Where the pin went is sent with the form, in metres from
 * where the page was drawn. Texts are in the frame's data attributes, with {d} for a length and {w} for a direction.
 */
export const pinScript = inline(`{
const d=document,frame=d.getElementById("frame"),form=frame.closest("form"),svg=frame.querySelector("svg"),ground=svg.querySelector(".ground"),over=frame.querySelector("input"),says=d.getElementById("pin-says");
const scale=+svg.dataset.metres,w=frame.dataset,words=w.directions.split("|"),from={n:+w.north,e:+w.east};
let north=0,east=0,drag;
const length=m=>{const far=m>=1000;return new Intl.NumberFormat(d.documentElement.lang,{style:"unit",unit:far?"kilometer":"meter",maximumFractionDigits:far?1:0}).format(far?m/1000:m)};
const show=()=>{ground.setAttribute("transform","translate("+-east/scale+" "+north/scale+")");form.north.value=north.toFixed(2);form.east.value=east.toFixed(2);
const n=from.n+north,e=from.e+east,m=Math.hypot(n,e);
says.textContent=m<.5?w.onfirst:w.moved.replace("{d}",length(Math.round(m))).replace("{w}",words[(Math.round(Math.atan2(e,n)/Math.PI*4)+8)%8])+(m>+w.far?" "+w.farwords:"")};
const move=(n,e)=>{north=Math.max(-5000,Math.min(5000,north+n));east=Math.max(-5000,Math.min(5000,east+e));show()};
over.ondragstart=e=>e.preventDefault();
over.onpointerdown=e=>{drag={x:e.clientX,y:e.clientY,north,east,far:false};over.setPointerCapture(e.pointerId)};
over.onpointermove=e=>{if(!drag)return;const x=e.clientX-drag.x,y=e.clientY-drag.y;if(!drag.far&&Math.hypot(x,y)<4)return;drag.far=true;
north=drag.north;east=drag.east;move(y*scale,-x*scale)};
over.onpointerup=over.onpointercancel=()=>{setTimeout(()=>drag=0)};
over.onclick=e=>{e.preventDefault();if(drag&&drag.far)return;const r=over.getBoundingClientRect();move((r.height/2-(e.clientY-r.top))*scale,(e.clientX-r.left-r.width/2)*scale)};
for(const b of form.querySelectorAll("[name=move]"))b.onclick=e=>{e.preventDefault();const s=+form.step.value;move({n:s,s:-s}[b.value]||0,{e:s,w:-s}[b.value]||0)};
d.getElementById("drag").hidden=false}`);

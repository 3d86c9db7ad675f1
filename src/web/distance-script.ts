import { inline } from "./inline.ts";

/**
 * Tells, once the button is pressed, how far the address is from the visitor and in which direction, along the great circle (haversine and initial bearing on a
 * sphere of 6,371,009 m). The position stays on the device.
 */
export const distanceScript = inline(`{
const at=document.getElementById("distance");
if(at&&isSecureContext&&navigator.geolocation){const b=at.querySelector("button"),says=at.querySelector("p"),w=at.dataset,rad=x=>x*Math.PI/180;
at.hidden=false;b.onclick=()=>navigator.geolocation.getCurrentPosition(({coords:c})=>{
const f=rad(c.latitude),t=rad(+w.lat),d=rad(w.lng-c.longitude),h=Math.sin((t-f)/2)**2+Math.cos(f)*Math.cos(t)*Math.sin(d/2)**2,m=12742018*Math.asin(Math.sqrt(h));
const bearing=Math.atan2(Math.sin(d)*Math.cos(t),Math.cos(f)*Math.sin(t)-Math.sin(f)*Math.cos(t)*Math.cos(d)),far=m>=1000;
says.textContent=w.away.replace("{d}",new Intl.NumberFormat(document.documentElement.lang,{style:"unit",unit:far?"kilometer":"meter",maximumFractionDigits:far&&m<1e5?1:0}).format(far?m/1000:m)).replace("{w}",w.compass.split("|")[(Math.round(bearing/Math.PI*4)+8)%8])
},()=>{says.textContent=w.unknown},{enableHighAccuracy:true,maximumAge:60000,timeout:20000})}}`);

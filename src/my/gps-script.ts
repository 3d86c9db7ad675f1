import { inline } from "../web/inline.ts";

/**
 * Asks the device where it is, once the button is pressed, and keeps the most exact answer. It stops by itself at 8 m or after 25 s; the point can be taken at any
 * time. Texts are in the form's data attributes, with {m} for a length.
 */
export const gpsScript = inline(`{
const d=document,$=id=>d.getElementById(id),form=$("gps"),here=$("here"),says=$("gps-says"),meter=$("gps-meter"),take=$("take"),w=form.dataset;
let best,watch,timer,saidAt=0;
const length=m=>{const far=m>=1000;return new Intl.NumberFormat(d.documentElement.lang,{style:"unit",unit:far?"kilometer":"meter",maximumFractionDigits:far?1:0}).format(far?m/1000:m)};
const stop=()=>{navigator.geolocation.clearWatch(watch);clearTimeout(timer);here.textContent=w.again;here.hidden=false};
const tell=now=>{if(!best||!now&&Date.now()-saidAt<3000)return;saidAt=Date.now();const a=best.accuracy;
says.textContent=(a<=10?w.verygood:a<=30?w.good:a<=100?w.rough:w.area).replace("{m}",length(Math.max(1,Math.round(a))));
meter.value=Math.max(2,100-a);take.textContent=a>100?w.takerough:w.take};
const found=({coords:c})=>{if(best&&c.accuracy>=best.accuracy)return;const first=!best;best=c;
form.lat.value=c.latitude.toFixed(6);form.lng.value=c.longitude.toFixed(6);form.accuracy.value=Math.min(99999,Math.max(1,c.accuracy)).toFixed(1);
meter.hidden=take.hidden=false;const done=c.accuracy<=8;tell(first||done);if(done)stop()};
const failed=({code})=>{if(best)return;stop();says.textContent=code==1?w.denied:code==2?w.unavailable:w.timeout};
if(isSecureContext&&navigator.geolocation){form.hidden=false;here.onclick=()=>{best=0;here.hidden=true;says.textContent=w.searching;
watch=navigator.geolocation.watchPosition(found,failed,{enableHighAccuracy:true,maximumAge:0,timeout:30000});
timer=setTimeout(()=>{tell(true);stop()},25000)}}}`);

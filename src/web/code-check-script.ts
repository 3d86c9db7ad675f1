import { LINK, SEPARATORS } from "../addresses/code.ts";
import { inline } from "./inline.ts";

/**
 * The rules of addresses/code.ts in the browser: `state(text)` is "" for nothing yet, else malformed, wrong or complete. It is text, because
 * the bundler rewrites functions, so what can be shared is printed into it and a test holds the rest to code.ts.
 */
export const CODE_STATE_SOURCE = `function state(text){
let code=text.replace(${LINK},"$1").normalize("NFKC").replace(${SEPARATORS},"").replace(/[a-z]+/g,l=>l.toUpperCase()).replace(/\\p{Nd}/gu,d=>{
if(d<="9")return d;let c=d.codePointAt(0),f=c;while(/\\p{Nd}/u.test(String.fromCodePoint(f-1)))f--;return(c-f)%10});
if(!code)return"";
if(!/^[A-Z]{2}\\d{9}$/.test(code))return/^([A-Z]?|[A-Z]{2}\\d{0,8})$/.test(code)?"partial":"malformed";
let p=0;for(const c of code.slice(0,10))p=(p+parseInt(c,36))*2%11;
return(12-p)%11===+code[10]?"complete":"wrong"}`;

/** Says beside the box, while a code is typed, whether it can be one. Sending it is never prevented: the server judges. */
export const codeCheckScript = inline(`{${CODE_STATE_SOURCE}
const box=document.querySelector("#code"),says=document.querySelector("#state");
const tell=done=>{let s=state(box.value.slice(0,200));if(s=="partial")s=done?"malformed":"";
says.textContent=s&&says.dataset[s];says.classList.toggle("wrong",s=="malformed"||s=="wrong")};
box.oninput=()=>tell(false);box.onchange=()=>tell(true);tell(false)}`);

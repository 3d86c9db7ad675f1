import { inline } from "./inline.ts";

/**
 * Lets every operation on the page be tried: fills in the path, sends what the fields hold and shows what came. A token that an answer
 * holds is put into the credential field, which nothing stores, and the code of a new address into the fields for codes.
 */
export const docsScript = inline(`{
const shownHeaders=/^(cache-control|content-type|etag|location|ratelimit|ratelimit-policy|retry-after|vary|www-authenticate|x-request-id)$/;
const credential=document.querySelector("#credential");
for(const box of document.querySelectorAll("[hidden]"))box.hidden=false;
document.addEventListener("submit",async event=>{
event.preventDefault();
const form=event.target,output=form.querySelector("output"),headers={},query=new URLSearchParams;
let path=form.dataset.path,body;
for(const field of form.querySelectorAll("[name]")){const value=field.value,place=field.dataset.in;
if(place=="path")path=path.replace("{"+field.name+"}",encodeURIComponent(value));
else if(place=="body"){body=value;headers["Content-Type"]="application/json"}
else if(value)place=="query"?query.set(field.name,value):headers[field.name]=value}
if(credential.value)headers.Authorization=credential.value;
if(query.size)path+="?"+query;
output.textContent="Sending";
try{
const answer=await fetch(path,{method:form.dataset.method,headers,body,credentials:"omit",cache:"no-store"}),text=await answer.text();
let shown=text;
try{const value=JSON.parse(text);shown=JSON.stringify(value,null,2);if(value.access)credential.value="Bearer "+value.access;
if(answer.status==201&&value.display)for(const box of document.querySelectorAll("[name=code],[name=canonical]"))if(box.value==box.defaultValue)box.value=box.defaultValue=value.display}catch{}
output.textContent=answer.status+" "+answer.statusText+"\\n"+[...answer.headers].filter(([name])=>shownHeaders.test(name)).map(([name,value])=>name+": "+value).join("\\n")+"\\n\\n"+shown;
}catch(error){output.textContent="No answer: "+error.message}
})}`);

/** What the console for operators makes the forms of acts of, to be bundled. */
export { endpoints } from "../../src/api.ts";
export { fieldsOf } from "../../src/operate/pages/act-form.tsx";

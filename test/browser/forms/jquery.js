import jQuery from "jquery";

// As a bundler makes it: nobody else on the page sees this jQuery.
window.serialized = () => jQuery("form").serialize();
window.fill = (text) => jQuery("[name=delivery]").val(text);
window.read = () => jQuery("[name=delivery]").val();
window.heard = [];
jQuery("form").on("change", "input", ({ target }) => window.heard.push(`${target.name}=${target.value}`));

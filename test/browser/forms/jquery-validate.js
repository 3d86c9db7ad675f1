import jQuery from "jquery";

window.jQuery = jQuery;
await import("jquery-validation");
jQuery("form").validate();

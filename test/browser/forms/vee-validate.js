import { useForm } from "vee-validate";
import { createApp } from "vue/dist/vue.esm-bundler.js";

createApp({
	setup() {
		const { defineField, errors, handleSubmit, resetForm } = useForm({
			validationSchema: { delivery: (text) => Boolean(text) || "Where to?" },
		});
		const [delivery, attributes] = defineField("delivery");
		const order = handleSubmit((data) => {
			window.ordered = data;
		});
		return { delivery, attributes, errors, order, resetForm, registry: window.registry };
	},
	template: `<form @submit="order">
		<address-code name="delivery" v-model="delivery" v-bind="attributes" :registry="registry" details :disabled="false"></address-code>
		<p id="told">{{ errors.delivery }}</p>
		<button>Order</button>
		<button type="button" @click="resetForm({ values: { delivery: 'ZZ-0000-00009' } })">Last address</button>
	</form>`,
})
	.mixin({})
	.mount("#shop");

import { createRoot, hydrateRoot } from "react-dom/client";
import { useForm } from "react-hook-form";

function Shop() {
	const { register, handleSubmit, formState, reset } = useForm({ defaultValues: { delivery: "" } });
	return (
		<form onSubmit={handleSubmit((data) => (window.ordered = data))}>
			<address-code {...register("delivery", { required: "Where to?" })} registry={window.registry} />
			<p id="told">{formState.errors.delivery?.message}</p>
			<button type="submit">Order</button>
			<button type="button" onClick={() => reset({ delivery: "ZZ-0000-00009" })}>
				Last address
			</button>
		</form>
	);
}

const root = document.querySelector("#shop");
if (root.hasChildNodes()) hydrateRoot(root, <Shop />, { onRecoverableError: (error) => console.error(String(error)) });
else createRoot(root).render(<Shop />);

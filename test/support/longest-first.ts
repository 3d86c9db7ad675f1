import path from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * A sequencer that starts projects in the order of their names, and the longest files of each first, in their order, so that no core is idle in the end.
 * Vitest knows which files take long from its cache alone, which a fresh clone lacks.
 */
export function longestFirst(longest: readonly string[], projects: readonly string[] = []): typeof BaseSequencer {
	const rank = ({ moduleId, project }: TestSpecification) => {
		const place = longest.indexOf(path.basename(moduleId, ".test.ts"));
		return projects.indexOf(project.name) + (place < 0 ? longest.length : place) / (longest.length + 1);
	};
	return class extends BaseSequencer {
		override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
			return (await super.sort(files)).sort((one, other) => rank(one) - rank(other));
		}
	};
}

import path from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * A sequencer that starts projects in the order of their names, and the longest files of each first, so that no core is idle in the end.
 * Vitest knows which files take long from its cache alone, which a fresh clone lacks.
 */
export function longestFirst(longest: readonly string[], projects: readonly string[] = []): typeof BaseSequencer {
	const rank = ({ moduleId, project }: TestSpecification) =>
		projects.indexOf(project.name) + (longest.includes(path.basename(moduleId, ".test.ts")) ? 0 : 0.5);
	return class extends BaseSequencer {
		override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
			return (await super.sort(files)).sort((one, other) => rank(one) - rank(other));
		}
	};
}

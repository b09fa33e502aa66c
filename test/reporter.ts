import type { Reporter, TestModule } from "vitest/node";

/** Prints one closing line that any CI can read: `N passed, N failed, N skipped`. */
export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: ReadonlyArray<TestModule>, errors: ReadonlyArray<unknown>): void {
    const count = { passed: 0, failed: 0, skipped: 0, pending: 0 };
    for (const module of modules) {
      // A module that does not load runs no test; that is a failure, not silence.
      if (module.state() === "failed" && [...module.children.allTests()].length === 0) count.failed++;
      for (const test of module.children.allTests()) count[test.result().state]++;
    }
    const failed = count.failed + errors.length;
    console.log(`\n${count.passed} passed, ${failed} failed, ${count.skipped + count.pending} skipped`);
  }
}

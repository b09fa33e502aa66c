import { describe, expect, test } from "vitest";
import type { OpenStateStores } from "./store-harness.ts";

const KEY = "github.com/42#1";
const OTHER = "github.com/42#11";

/** What every store of decisions promises. */
export function decisionsContract(name: string, open: OpenStateStores): void {
  describe(`${name} keeps the promises of decisions`, () => {
    test("who paused a pull request is known until a person resumes it", async () => {
      const { decisions } = (await open()).stores;
      expect(await decisions.of(KEY)).toEqual({ pausedBy: null, declined: [] });
      await decisions.pause(KEY, "mona", 1);
      await decisions.pause(KEY, "wren", 2);
      expect(await decisions.of(KEY)).toEqual({ pausedBy: "wren", declined: [] });
      expect(await decisions.of(OTHER)).toEqual({ pausedBy: null, declined: [] });
      expect(await decisions.resume(OTHER, 3)).toBe(false);
      expect(await decisions.resume(KEY, 3)).toBe(true);
      expect(await decisions.resume(KEY, 4)).toBe(false);
      expect((await decisions.of(KEY)).pausedBy).toBeNull();
    });

    test("declined findings keep the order in which they were declined; declining again replaces the entry", async () => {
      const { decisions } = (await open()).stores;
      const declined = (findingId: string, by: string, reason: string) => ({
        findingId,
        by,
        reason,
        isWriter: by === "wren",
      });
      await decisions.decline(KEY, declined("fnd_b", "mona", "by design"), 10);
      await decisions.decline(KEY, declined("fnd_a", "mona", ""), 10);
      await decisions.decline(KEY, declined("fnd_0", "mona", "C++ has no such thing"), 5);
      await decisions.decline(OTHER, declined("fnd_a", "wren", "elsewhere"), 1);
      await decisions.decline(KEY, declined("fnd_0", "wren", 'it\'s "fine" 🙂'), 20);
      expect((await decisions.of(KEY)).declined).toEqual([
        declined("fnd_a", "mona", ""),
        declined("fnd_b", "mona", "by design"),
        declined("fnd_0", "wren", 'it\'s "fine" 🙂'),
      ]);
      expect(await decisions.restore(KEY, "fnd_a")).toBe(true);
      expect(await decisions.restore(KEY, "fnd_a")).toBe(false);
      expect((await decisions.of(KEY)).declined).toHaveLength(2);
      expect((await decisions.of(OTHER)).declined).toHaveLength(1);
    });
  });
}

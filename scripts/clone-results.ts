// What `kodiai review` does in each state of a clone that people have, for docs/cli.md. test/matrix makes each.

/** State → result. */
export const CLONE_RESULTS = {
  "A full clone": "reviewed from where the branch left its base",
  "The base exists only at `origin`": "`--base main` means `origin/main`",
  "Its default branch is `master`": "`--base main` stops with 3 and that name",
  "Work is not committed, and the branch adds no commit to its base":
    "`--base` says so: without a base the work is reviewed",
  "Shallow, without the commit where the branch left its base": "stops with 3 and the `git fetch` to run",
  "Shallow, without the base's branch": "stops with 3 and the `git fetch` to run",
  "Shallow, but deep enough": "reviewed from where the branch left its base",
  "Made with `--filter=blob:none`": "stops with 3 and the `git fetch` to run",
  "Branches without a common commit": "stops with 3: name the base that the branch was made from",
  "No commit yet": "all files are reviewed",
  "SHA-256, no commit yet": "all files are reviewed",
  "Detached HEAD, `origin/HEAD` names a branch that was renamed": "compared with its branch of a usual name",
  "A tag and a branch of one name": "the branch",
  "In a hook, another folder is named": "the named folder's own repository",
  "A nested repository without a commit, a pipe in the place of a file, and a sparse checkout":
    "these paths are left out by name",
  "No repository": "stops with 3",
} as const satisfies Readonly<Record<string, string>>;

// Deliberate breakages, each the loss of one promise, and the test that must notice it.

export interface Mutant {
  /** A few words; unique. */
  readonly id: string;
  /** What is lost. */
  readonly loses: string;
  readonly file: string;
  /** Stands exactly once in the file. */
  readonly find: string;
  readonly replace: string;
  /** [file, title]: fails when the promise is lost. */
  readonly test: readonly [file: string, title: string];
  /** Cheap enough for every change. */
  readonly isQuick?: boolean;
  /** The test notices by never ending. */
  readonly hangs?: boolean;
}

const QUEUE_TEST = "test/adapters/sqlite/queue.test.ts";
const WRITES_TEST = "test/adapters/sqlite/write-book.test.ts";
const CORRIDOR = "src/flows/review-pull-request.ts";

export const MUTANTS: readonly Mutant[] = [
  {
    id: "no dedupe",
    loses: "the same delivery twice makes one job",
    file: "src/adapters/sqlite/queue.ts",
    find: "  if (inserted.changes === 0) return false;\n",
    replace: "",
    test: [QUEUE_TEST, "the same delivery twice makes one job"],
    isQuick: true,
  },
  {
    id: "NORMAL instead of FULL",
    loses: "a commit is on disk before it is answered",
    file: "src/adapters/sqlite/database.ts",
    find: 'db.pragma("synchronous = FULL");',
    replace: 'db.pragma("synchronous = NORMAL");',
    test: [QUEUE_TEST, "a job outlives the process that accepted it, and every open syncs commits to disk"],
    isQuick: true,
  },
  {
    id: "newer database accepted",
    loses: "a database of a newer version is refused",
    file: "src/adapters/sqlite/database.ts",
    find: "if (version > migrations.length) throw newerSchema(",
    replace: "if (version < 0) throw newerSchema(",
    test: [QUEUE_TEST, "a database of a newer Kodiai is refused and left as it is"],
  },
  {
    id: "two jobs of one pull request",
    loses: "jobs of one pull request run one after the other",
    file: "src/adapters/sqlite/lane.ts",
    find: "WHERE busy.key = jobs.key AND busy.state = 'running'",
    replace: "WHERE busy.id = jobs.id AND busy.state = 'running'",
    test: [QUEUE_TEST, "two jobs of one pull request never run side by side"],
  },
  {
    id: "old heads stay",
    loses: "the newest head takes the place of one that waits",
    file: "src/adapters/sqlite/queue.ts",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a piece of source.
    find: 'replace(db, job.key, "superseded", at + skew, `overtaken by ${by}`);',
    replace: "void by;",
    test: [QUEUE_TEST, "a newer head takes the place of one that waits"],
  },
  {
    id: "retries for ever from the start",
    loses: "a job that is tried again waits until its time",
    file: "src/adapters/sqlite/lane.ts",
    find: "MAY_RUN = `state = 'waiting' AND run_at <= @now",
    replace: "MAY_RUN = `state = 'waiting' AND (1 OR run_at <= @now)",
    test: [QUEUE_TEST, "a job that is tried again waits until its time and counts its attempts"],
  },
  {
    id: "no owner filter",
    loses: "memory of another owner is out of reach",
    file: "src/adapters/sqlite/scope-sql.ts",
    find: "(p.host = @host AND p.owner_id = @ownerId",
    replace: "(p.host = @host AND @ownerId = @ownerId",
    test: [
      "test/adapters/sqlite/isolation.test.ts",
      "no memory reaches a repository that may not hear it, and each hears all of its own",
    ],
  },
  {
    id: "no second look at the owner",
    loses: "each record is asked once more whose it is",
    file: "src/retrieve/scope.ts",
    find: "    record.ownerId === scope.ownerPool.ownerId &&\n",
    replace: "",
    test: [
      "test/retrieve/scope.test.ts",
      "never another owner's, nor the same number of an owner on another server, nor what fewer people can read",
    ],
    isQuick: true,
  },
  {
    id: "private into public",
    loses: "a public repository hears nothing of private ones",
    file: "src/retrieve/scope.ts",
    find: '    OPENNESS[record.visibility] >= OPENNESS[target] &&\n    (!scope.ownerPool.targetIsPublic || record.visibility === "public")',
    replace: "    OPENNESS[record.visibility] + OPENNESS[target] >= 0",
    test: [
      "test/retrieve/scope.test.ts",
      "never another owner's, nor the same number of an owner on another server, nor what fewer people can read",
    ],
  },
  {
    id: "configuration of the head",
    loses: "a pull request cannot configure its own review",
    file: "src/gather/gather.ts",
    find: "const { config, problems, origins } = await configAt(repo, pull.base.sha, pulls, known);",
    replace: "const { config, problems, origins } = await configAt(repo, pull.head.sha, pulls, known);",
    test: [
      "test/app/configuration.test.ts",
      "a pull request cannot switch its own review off; the summary says when its change takes effect",
    ],
  },
  {
    id: "no sanitizer",
    loses: "text by others does nothing",
    file: "src/publish/sanitize.ts",
    find: 'return writePieces(tame(shorten(readPieces(oneLine(start)), limit, start !== text)), "plain");',
    replace: "return start;",
    test: [
      "test/publish/sanitize.test.ts",
      "an entity of ours that someone wrote does not smuggle a reference past us",
    ],
    isQuick: true,
  },
  {
    id: "blocks as they come",
    loses: "images, HTML and references of others become text",
    file: "src/publish/sanitize.ts",
    find: "const blocks = readBlocks(visible(start));",
    replace: "return start;\n  const blocks = readBlocks(visible(start));",
    test: ["test/publish/sanitize.test.ts", "headings, quotes, tables, HTML and references become text"],
  },
  {
    id: "markers of others",
    loses: "a marker of ours in somebody's code is broken",
    file: "src/publish/sanitize.ts",
    find: '.replaceAll("<!-- kodiai:", "<! -- kodiai:")',
    replace: "",
    test: ["test/publish/sanitize.test.ts", "a marker of ours in someone's code is broken"],
  },
  {
    id: "head not asked before posting",
    loses: "a head that moved is not reviewed any more",
    file: "src/publish/publish.ts",
    find: '  if (superseded !== null) return { kind: "superseded", reason: superseded };\n',
    replace: "",
    test: [
      "test/app/trouble.test.ts",
      "a written review of a head that moved meanwhile is dropped, and the new head is reviewed",
    ],
  },
  {
    id: "closed is open",
    loses: "nothing is posted on a closed pull request",
    file: "src/publish/publish.ts",
    find: '  if (now.state === "closed") return "the pull request is closed";\n',
    replace: "",
    test: ["test/publish/publish.test.ts", "nothing is posted when the pull request was closed meanwhile"],
    isQuick: true,
  },
  {
    id: "review not kept",
    loses: "a written review is kept before it is sent",
    file: CORRIDOR,
    find: "  await ports.ledger.save(job, safe, ports.now());\n",
    replace: "",
    test: ["test/app/trouble.test.ts", "a review that was written is sent after a restart without being written again"],
  },
  {
    id: "comments not looked up",
    loses: "what stands already is not said again",
    file: "src/publish/publish.ts",
    find: "known.has(placed.finding.id);",
    replace: 'known.has("");',
    test: [
      "test/publish/publish.test.ts",
      "a second run on the same head posts no comment again and edits the one summary",
    ],
  },
  {
    id: "approves",
    loses: "a review only ever comments",
    file: "src/adapters/github/reviews.ts",
    find: 'event: "COMMENT",',
    replace: 'event: "APPROVE",',
    test: [
      "test/app/hostile-model.test.ts",
      "through the running app it can do nothing but comment on this pull request, and no token that it echoes leaves",
    ],
  },
  {
    id: "review posted unredacted",
    loses: "no secret is posted",
    file: "src/adapters/secrets/redacted-reviews.ts",
    find: "  const { text, found } = await redactor.redact(body.slice(0, at));",
    replace: "  void redactor;\n  const { text, found } = { text: body.slice(0, at), found: [] };",
    test: [
      "test/adapters/secrets/redacted-reviews.test.ts",
      "a suggestion that holds a secret is shown without it, and cannot be committed",
    ],
  },
  {
    id: "log unredacted",
    loses: "no secret is logged",
    file: "src/adapters/secrets/redacted-log.ts",
    find: "handOn(await redactLine(line, redactor))",
    replace: "handOn(line)",
    test: [
      "test/adapters/secrets/redacted-reviews.test.ts",
      "lines of a log keep their order, and one that is no JSON is redacted too",
    ],
  },
  {
    id: "embedded unredacted",
    loses: "no secret is sent to be embedded",
    file: "src/wire.ts",
    find: "embedder.embed(await Promise.all(texts.map(redact)), kind)",
    replace: "embedder.embed(texts, kind)",
    test: [
      "test/app/one-repository.test.ts",
      "no secret of a change is sent to be embedded, and each token reaches one repository with what the work needs",
    ],
  },
  {
    id: "vectors unchecked",
    loses: "a vector of NaN is refused",
    file: "src/adapters/memory/vector-problem.ts",
    find: "if (!Number.isFinite(value)) return",
    replace: "if (value === 7e30) return",
    test: [
      "test/adapters/sqlite/memory.test.ts",
      "vectors that are not finite, all zero or of another dimension are refused by id; their neighbours are kept",
    ],
  },
  {
    id: "deleted stays",
    loses: "what is forgotten is gone from the file",
    file: "src/adapters/sqlite/database.ts",
    find: 'db.pragma("secure_delete = ON");',
    replace: 'db.pragma("secure_delete = OFF");',
    test: [
      "test/adapters/sqlite/memory.test.ts",
      "leaves none of its words in the file, the write-ahead log or its index",
    ],
  },
  {
    id: "any host",
    loses: "only allowed hosts are reached",
    file: "src/adapters/github/guarded-fetch.ts",
    find: "if (!allowed.has(url.origin)) throw",
    replace: "if (allowed.size === 0) throw",
    test: [
      "test/adapters/anthropic/requests.test.ts",
      "a question is answered over its origin, and nothing reaches another",
    ],
  },
  {
    id: "logins in place of ids",
    loses: "who may is asked by number, not by name",
    file: "src/adapters/github/permissions.ts",
    find: "return data.user?.id === id ?",
    replace: "return id !== 0 ?",
    test: [
      "test/app/command-rights.test.ts",
      "is obeyed for people with write access, whatever else GitHub says of them, and for nobody else",
    ],
  },
  {
    id: "denied is allowed",
    loses: "who GitHub does not confirm may do nothing",
    file: "src/adapters/github/permissions.ts",
    find: '        return "none";\n      }\n    },',
    replace: '        return "admin";\n      }\n    },',
    test: [
      "test/app/command-rights.test.ts",
      "is obeyed for people with write access, whatever else GitHub says of them, and for nobody else",
    ],
  },
  {
    id: "bots are people",
    loses: "bots are not answered",
    file: "src/receive/read-comment.ts",
    find: '  if ((writer.type ?? "User") !== "User" || writer.login.endsWith("[bot]")) return "not written by a person";\n',
    replace: "",
    test: ["test/app/commands.test.ts", "edits, bots, issues and ourselves, each with its reason"],
  },
  {
    id: "patterns of people in RegExp",
    loses: "a pattern of somebody's cannot stall the process",
    file: "src/config/user-pattern.ts",
    find: "return { source, matches: (text) => compiled.test(text) };",
    replace: 'const native = new RegExp(source, "i");\n    return { source, matches: (text) => native.test(text) };',
    test: ["test/config/knowledge.test.ts", "runs in linear time even when it is written to be slow"],
    hangs: true,
  },
  {
    id: "weak secrets",
    loses: "a secret that can be guessed is refused",
    file: "src/config/weak-secret.ts",
    find: "  return left.replace(",
    replace: '  if (left !== "") return null;\n  return left.replace(',
    test: ["test/config/env.test.ts", "your_github_webhook_secret_goes_here"],
    isQuick: true,
  },
  {
    id: "unknown stop reasons",
    loses: "a reply that was cut off is never taken for an answer",
    file: "src/adapters/anthropic/model.ts",
    find: 'const stop = STOPS.get(said.stopReason ?? "");',
    replace: 'const stop = STOPS.get("");',
    test: ["test/adapters/anthropic/contract.test.ts", "cut off by its limit just behind a whole object"],
  },
  {
    id: "tokens for everything",
    loses: "a token reaches one repository",
    file: "src/adapters/github/clients.ts",
    find: "          repository_ids: [repo.id],\n          permissions: REVIEW_PERMISSIONS,",
    replace: "          permissions: REVIEW_PERMISSIONS,",
    test: [
      "test/app/one-repository.test.ts",
      "no secret of a change is sent to be embedded, and each token reaches one repository with what the work needs",
    ],
  },
  {
    id: "no sweep",
    loses: "deliveries that failed are asked for again",
    file: "src/flows/recover-deliveries.ts",
    find: "    if (!(await book.asking(guid, now))) continue;\n",
    replace: "    if (!(await book.asking(guid, now)) || id >= 0) continue;\n",
    test: [
      "test/app/missed.test.ts",
      "while the server is off for 50 events, all of them are made up for when it is back",
    ],
  },
  {
    id: "no signature check",
    loses: "only what GitHub signed is believed",
    file: "src/server/verify-signature.ts",
    find: "const isCurrent = timingSafeEqual(signed, signatureOf(secret, body));",
    replace: "const isCurrent = signed.length > 0 || timingSafeEqual(signed, signatureOf(secret, body));",
    test: [
      "test/server/verify-signature.test.ts",
      "a body of which one bit was turned is not believed, whichever it is",
    ],
    isQuick: true,
  },
  {
    id: "old secrets for ever",
    loses: "a former secret counts until its day only",
    file: "src/server/verify-signature.ts",
    find: "if (former === null || now >= former.until) return isCurrent;",
    replace: "if (former === null) return isCurrent;",
    test: [
      "test/server/verify-signature.test.ts",
      "a former secret counts up to its end and not after, and the current one always",
    ],
  },
  {
    id: "answered before it is committed",
    loses: "what is answered with 202 is on disk",
    file: "src/server/take-delivery.ts",
    find: "const kept = await at.commits.commit(",
    replace: "const kept: unknown = at.commits.commit(",
    test: [
      "test/app/durable-ack.test.ts",
      "a delivery is synced to disk before 202 is written, after a restart as well",
    ],
  },
  {
    id: "bodies of any size",
    loses: "25 MiB is the most that is read",
    file: "src/server/read-body.ts",
    find: "one.bytes > MOST_BODY_BYTES)",
    replace: "one.bytes > 2 * MOST_BODY_BYTES)",
    test: ["test/server/read-body.test.ts", "25 MiB are read and one byte more is not"],
  },
  {
    id: "bodies unbounded together",
    loses: "what strangers send at the same time is bounded",
    file: "src/server/read-body.ts",
    find: "while (held > most && coming.size > 0)",
    replace: "while (held > 1e12 && coming.size > 0)",
    test: [
      "test/server/read-body.test.ts",
      "all bodies together are bounded, and the largest gives way, never the small ones",
    ],
  },
  {
    id: "no dedupe by meaning",
    loses: "the same event under another id has one effect",
    file: "src/adapters/sqlite/queue.ts",
    find: "  if (told !== undefined) {",
    replace: "  if (told?.id === delivery.id) {",
    test: [
      "test/adapters/sqlite/inbox.test.ts",
      "an event that is told again under another id has one effect, and the id is known all the same",
    ],
  },
  {
    id: "the walls have a hole",
    loses: "only publish writes to GitHub: rooms do not know adapters",
    file: "src/analyze/analyze.ts",
    find: 'import type { ReviewSignals } from "../domain/signals.ts";\n',
    replace: 'import type { ReviewSignals } from "../domain/signals.ts";\nimport "../adapters/github/reviews.ts";\n',
    test: ["test/boundaries.test.ts", "the walls stand, and the tool that checks them saw every module of src"],
  },
  {
    id: "no fencing",
    loses: "a worker whose lease passed on writes nothing",
    file: "src/adapters/sqlite/hold.ts",
    find: ".get(id, token) !== undefined;",
    replace: ".get(id, token) !== null;",
    test: ["test/adapters/sqlite/books.test.ts", "a review that is written by whoever lost the job is not kept"],
    isQuick: true,
  },
  {
    id: "no intent",
    loses: "an unknown outcome is looked up before anything is sent again",
    file: "src/adapters/github/write-path.ts",
    find: "    await book.send(wanted, marker);\n    failPoint",
    replace: "  failPoint",
    test: ["test/app/lost-writes.test.ts", "40 reviews of whose writes a third loses its answer are 40 reviews"],
  },
  {
    id: "no marker HMAC",
    loses: "a marker that somebody copied is not believed",
    file: "src/adapters/github/sign-write.ts",
    find: 'return createHmac("sha256", key).update(said).digest("hex").slice(0, LENGTH);',
    replace:
      'return createHmac("sha256", "").update(said.slice(0, 0)).update(key.subarray(32)).digest("hex").slice(0, LENGTH);',
    test: [
      "test/adapters/github/sign-write.test.ts",
      "another host, repository, pull request, head, kind, subject or secret has another marker",
    ],
    isQuick: true,
  },
  {
    id: "retry of writes on",
    loses: "no write is repeated blindly",
    file: "src/adapters/github/write-path.ts",
    find: "if (!isCertain(error)) return lookFor(wanted, marker, error, options);",
    replace: "if (!isCertain(error)) return readPost(await letWrite(options.book.hold, () => creation.post(marker)));",
    test: ["test/app/lost-writes.test.ts", "40 reviews of whose writes a third loses its answer are 40 reviews"],
  },
  {
    id: "everybody writes at once",
    loses: "writes of an installation go one after the other",
    file: "src/adapters/sqlite/installation-pace.ts",
    find: "  return row === undefined || row.freeAt <= now || row.freeAt > now + longestMs;",
    replace: "  return row === undefined || now > 0 || longestMs > 0;",
    test: [
      "test/adapters/github/write-turns.test.ts",
      "no write of an installation begins earlier than a second after the end of the one before, however late each was",
    ],
    isQuick: true,
  },
  {
    id: "limits are forgotten",
    loses: "an installation that GitHub asked to wait is left alone",
    file: "src/adapters/sqlite/installation-pace.ts",
    find: "return Math.max(0, Number(until ?? 0) - now());",
    replace: "return Math.min(0, now() - Number(until ?? 0));",
    test: [WRITES_TEST, "an installation that is closed stays so for as long as GitHub said, and its jobs wait"],
  },
  {
    id: "an edit asks again",
    loses: "a command is what somebody wrote, not what it was edited to",
    file: "src/receive/read-comment.ts",
    find: "if (around.action !== wanted) return",
    replace: 'if (around.action !== wanted && around.action !== "edited") return',
    test: [
      "test/app/poisoned.test.ts",
      "a comment that is edited afterwards changes neither memory nor the next review",
    ],
  },
  {
    id: "bots teach",
    loses: "what a bot says is not remembered, whatever it may do",
    file: "src/adapters/github/past-comment.ts",
    find: 'const isBot = user?.type === "Bot" || login.endsWith("[bot]");',
    replace: "const isBot = false;",
    test: ["test/app/poisoned.test.ts", "a bot, though it may write changes neither memory nor the next review"],
  },
  {
    id: "the log as it is",
    loses: "the log holds no secret",
    file: "src/adapters/secrets/redacted-log.ts",
    find: "handOn(await redactLine(line, redactor))",
    replace: "handOn(line)",
    test: ["test/app/secrets.test.ts", "what the log quotes of others holds no token"],
  },
  {
    id: "checks that GitHub alone knows",
    loses: "no check run stays open",
    file: "src/adapters/sqlite/check-book.ts",
    find: "      await adoptUnwritten(db, now);\n",
    replace: "",
    test: [
      "test/app/checks.test.ts",
      "a check that stands on GitHub and was never written down here is ended by the sweep",
    ],
  },
];

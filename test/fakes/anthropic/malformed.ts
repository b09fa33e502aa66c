// Replies that are not what was asked for, in every way that language models, proxies and cables
// have found so far.

export interface Malformed {
  readonly name: string;
  readonly text: string;
}

/**
 * At least 340 replies made of a good one by breaking it. None says "nothing found", so none may be
 * read so.
 *
 * @param answer an object of the shape asked for, with at least one list that is not empty
 */
export function malformedReplies(answer: object): readonly Malformed[] {
  const json = JSON.stringify(answer);
  const pretty = JSON.stringify(answer, null, 2);
  return [...byHand(json, pretty), ...cut(json), ...changedSigns(json), ...changedSigns(pretty)];
}

function byHand(json: string, pretty: string): Malformed[] {
  const [list = "findings"] = /"(\w+)":\[/.exec(json)?.slice(1) ?? [];
  const empty = `{"${list}":[]}`;
  const texts: readonly (readonly [string, string])[] = [
    ["nothing", ""],
    ["blanks", " \n\t\u00a0 "],
    ["a byte order mark", "\uFEFF"],
    ["a refusal in words", "I'm sorry, but I can't help with that."],
    ["an apology", "I apologize for the confusion. Let me look again."],
    ["praise", "LGTM! :+1: No issues found."],
    ["nothing found, in words", "There are no findings."],
    ["null", "null"],
    ["undefined", "undefined"],
    ["NaN", "NaN"],
    ["a number", "0"],
    ["true", "true"],
    ["false", "false"],
    ["a string", '"no findings"'],
    ["an empty string", '""'],
    ["an empty object", "{}"],
    ["an empty list", "[]"],
    ["an empty fence", "```json\n```"],
    ["a fenced empty object", "```json\n{}\n```"],
    ["a bare list", json.slice(json.indexOf("["), json.lastIndexOf("]") + 1)],
    ["the answer as a string", JSON.stringify(json)],
    ["a list around the answer", `[${json}]`],
    ["another key around it", `{"result":${json}}`],
    ["the key in capitals", json.replace(`"${list}"`, `"${list.toUpperCase()}"`)],
    ["the key misspelt", json.replace(`"${list}"`, `"${list}s"`)],
    ["the list as null", `{"${list}":null}`],
    ["the list as a string", `{"${list}":"none"}`],
    ["the list as an object", `{"${list}":{}}`],
    ["the list as a number", `{"${list}":0}`],
    ["a list of null", `{"${list}":[null]}`],
    ["a list of lists", `{"${list}":[[]]}`],
    ["a list of empty objects", `{"${list}":[{}]}`],
    ["a further key", json.replace("{", '{"note":"x",')],
    ["the key twice, the second empty", `${json.slice(0, -1)},"${list}":[]}`],
    ["the key twice, the first empty", `{"${list}":[],${json.slice(1)}`],
    ["a hidden key", `{"__proto__":${json}}`],
    ["an inherited key", `{"constructor":{"${list}":[]}}`],
    ["an abbreviated list", `{"${list}":[ ... ]}`],
    ["an abbreviated list with a sign", `{"${list}":[…]}`],
    ["a list of a comment", `{"${list}":[ /* see above */ ]}`],
    ["a list of a line comment", `{"${list}":[ // three of them\n]}`],
    ["a list of a comma", `{"${list}":[,]}`],
    ["a list of undefined", `{"${list}":[undefined]}`],
    ["an abbreviated object", `{"${list}":[{...}]}`],
    ["a placeholder", `{"${list}":[<findings>]}`],
    ["a template", `{"${list}":[{{findings}}]}`],
    ["an ellipsis behind", `${json.slice(0, -2)},...]}`],
    ["a draft and the answer", `Draft: ${empty}\nFinal: ${json}`],
    ["the answer and an example", `${json}\nWere there none, I would have said ${empty}.`],
    ["an example and no answer yet", `I shall reply like ${empty} or {"${list}":[{"path":`],
    ["an example and a broken answer", `Like ${empty}:\n\`\`\`json\n${json.slice(0, -9)}\n\`\`\``],
    ["a draft in the thoughts and no answer", `<think>maybe ${empty}</think>\nI am not sure.`],
    ["thoughts that never end", `<think>maybe ${empty} or not`],
    ["thoughts whose beginning is missing", `maybe ${empty}</think>\nHm.`],
    ["a draft in the thoughts and half an answer", `<think>${empty}</think>${json.slice(0, -3)}`],
    ["two answers in fences", `\`\`\`json\n${empty}\n\`\`\`\n\`\`\`json\n${json}\n\`\`\``],
    ["lines of JSON", `${empty}\n${json}`],
    ["the schema", `{"type":"object","properties":{"${list}":{"type":"array","items":{}}}}`],
    ["an echo of the question", "Which lines are wrong?"],
    ["XML", `<${list}></${list}>`],
    ["YAML", `${list}: []`],
    ["YAML in a fence", `\`\`\`yaml\n${list}: []\n\`\`\``],
    ["TOML", `${list} = []`],
    ["a table", "| path | line |\n|-|-|\n"],
    ["a Python dict that is empty inside", `{'${list}': list()}`],
    ["JavaScript", `const reply = { ${list}: new Array() };`],
    ["a function call", `submit(${list}=[])`],
    ["a tool call in words", `<tool_call>{"name":"submit","arguments":{"${list}":[]}}</tool_call>`],
    ["an event stream in the text", `data: {"choices":[{"delta":{"content":"{"}}]}`],
    ["a page", "<!doctype html><html><body>502 Bad Gateway</body></html>"],
    ["an error as JSON", '{"error":{"message":"model is loading"}}'],
    ["zero bytes", "\0\0\0"],
    ["half a pair", "\ud83d"],
    ["right-to-left signs", "\u202e}][{"],
    ["only closers", "}]}]}]"],
    ["only openers", "{[{[{["],
    ["a deep nest", "[".repeat(20_000)],
    ["a deep closed nest", "[".repeat(20_000) + "]".repeat(20_000)],
    ["a deep nest in the list", `{"${list}":${"[".repeat(5_000)}${"]".repeat(5_000)}}`],
    ["a deep nest of objects", '{"a":'.repeat(20_000)],
    ["a megabyte of words", "lorem ipsum ".repeat(90_000)],
    ["a megabyte of brackets", "{x ".repeat(340_000)],
    ["a megabyte of quotes", '"'.repeat(1_000_000)],
    ["a megabyte of backslashes", `{"${list}":"${"\\".repeat(990_000)}`],
    ["a megabyte of blanks in a list", `{"${list}":[${" ".repeat(990_000)}`],
    ["a loop", `{"${list}":[${'{"path":"a.ts","line":1,"title":"again and again'.repeat(4_000)}`],
    ["four megabytes", json.repeat(30_000).slice(0, 4_000_000)],
    ["signs over and over", "=".repeat(50_000)],
    ["escaped all over", json.replaceAll('"', '\\"')],
    ["HTML's entities", json.replaceAll('"', "&quot;")],
    ["base64", Buffer.from(json).toString("base64")],
    ["the wrong encoding", Buffer.from(json, "utf16le").toString("latin1")],
    ["the bytes turned", [...json].reverse().join("")],
    ["without a quote", json.replaceAll('"', "")],
    ["without brackets", json.replace(/[[\]{}]/g, "")],
    ["diff signs before each line", pretty.replace(/^/gm, "+")],
    ["a quotation", pretty.replace(/^/gm, "> ")],
    [
      "line numbers",
      pretty
        .split("\n")
        .map((line, at) => `${at + 1}: ${line}`)
        .join("\n"),
    ],
  ];
  return texts.map(([name, text]) => ({ name, text }));
}

/** Ended after each of about 150 places, as by a lost connection or a limit that nobody told. */
function cut(json: string): Malformed[] {
  const step = Math.max(1, Math.floor(json.length / 150));
  const places = Array.from({ length: Math.floor((json.length - 1) / step) }, (_, at) => (at + 1) * step);
  return places.map((place) => ({ name: `cut after ${place} characters`, text: json.slice(0, place) }));
}

/** Each sign of the JSON left out, doubled, or made another. */
function changedSigns(json: string): Malformed[] {
  return [...json.matchAll(/[{}[\]",:]/g)].flatMap(({ 0: sign, index }) => {
    const before = json.slice(0, index);
    const after = json.slice(index + 1);
    return [
      { name: `${sign} at ${index} left out`, text: before + after },
      { name: `${sign} at ${index} twice`, text: before + sign + sign + after },
      { name: `${sign} at ${index} made ;`, text: `${before};${after}` },
    ];
  });
}

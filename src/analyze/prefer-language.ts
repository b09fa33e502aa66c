// The language of an extension with several claimants when the content does not decide.

/**
 * The most likely language where it is not the first programming language of the table: counted on labelled paths of
 * public repositories that have the extension, else the language with far more public code.
 */
const PREFERRED: ReadonlyMap<string, string> = new Map(
  Object.entries({
    "Roff Manpage": ".1 .2 .3 .4 .5 .6 .7 .8 .9 .man",
    AsciiDoc: ".asc",
    Brainfuck: ".b .bf",
    "Visual Basic 6.0": ".bas .frm",
    BrighterScript: ".bs",
    INI: ".cfg",
    xBase: ".ch",
    OpenCL: ".cl",
    SQL: ".ddl .sql",
    "Microsoft Developer Studio Project": ".dsp",
    Eiffel: ".e",
    JavaScript: ".es .gs",
    Fortran: ".f .for",
    PHP: ".fcgi .inc .php",
    Frege: ".fr",
    FreeMarker: ".ftl",
    HLSL: ".fx",
    GAP: ".g",
    GDScript: ".gd",
    HTML: ".html",
    SWIG: ".i",
    "Objective-J": ".j",
    jq: ".jq",
    Lex: ".l",
    "Lean 4": ".lean",
    "Objective-C": ".m",
    M4Sugar: ".m4",
    "Monkey C": ".mc",
    Markdown: ".md",
    "Modula-2": ".mod",
    Moocode: ".moo",
    Roff: ".ms",
    "ROS Interface": ".msg",
    Nushell: ".nu",
    "OpenEdge ABL": ".p",
    "pkg-config": ".pc",
    "XML Property List": ".plist",
    Puppet: ".pp",
    QMake: ".pro",
    "Java Properties": ".properties",
    q: ".q",
    "Qt Script": ".qs",
    Reason: ".re",
    "Ren'Py": ".rpy",
    Rust: ".rs",
    "RouterOS Script": ".rsc",
    "Unix Assembly": ".s",
    "KiCad Schematic": ".sch",
    ShaderLab: ".shader",
    "RPM Spec": ".spec",
    "SubRip Text": ".srt",
    mdsvex: ".svx",
    "World of Warcraft Addon Data": ".toc",
    Scilab: ".tst",
    Text: ".txt",
    Verilog: ".v",
    XML: ".workflow",
    YAML: ".yaml .yml",
  }).flatMap(([language, extensions]) => extensions.split(" ").map((extension) => [extension, language])),
);

/**
 * @param extension lower-cased, with its dot
 * @param candidates linguist names that claim the extension
 * @param isProgramming distinguishes code from data
 * @returns undefined without candidates
 */
export function preferLanguage(
  extension: string,
  candidates: readonly string[],
  isProgramming: (name: string) => boolean,
): string | undefined {
  const preferred = PREFERRED.get(extension);
  if (preferred !== undefined && candidates.includes(preferred)) return preferred;
  return candidates.find(isProgramming) ?? candidates[0];
}

// Decides between several possible languages by the file's content: `#!` lines, editor modelines,
// then one distinctive word each. The text is untrusted and cut to a few thousand characters, and
// every pattern reads a line in one pass.

import { canonicalLanguage } from "../language.ts";
import packed from "./language-table.json" with { type: "json" };
import { nameOf } from "./paths.ts";

/**
 * The decisive part is at the top: so much decides nineteen in twenty of linguist's samples.
 */
const READ = 2000;

const XML = /^\uFEFF?\s{0,20}<\?xml[ \t]/;

/**
 * @param extension the longest known one, lower-cased with its dot, or "" when the name has none
 * @param candidates linguist names that claim the extension; distinctive words apply only to these
 * @param content the beginning of the file, or its known lines; 2,000 characters are read
 * @returns a linguist name, or undefined when undecided
 */
export function languageFromContent(
  extension: string,
  candidates: readonly string[],
  content: string,
): string | undefined {
  const head = content.slice(0, READ).replaceAll("\r", "");
  if (candidates.length > 1) {
    if (candidates.includes("XML") && XML.test(head)) return "XML";
    const match = tellingWords(extension).find(
      ({ language, pattern }) => candidates.includes(language) && pattern.test(head),
    );
    const mode = fromModeline(head);
    return match?.language ?? candidates.find((candidate) => candidate === mode);
  }
  return fromShebang(head) ?? fromModeline(head);
}

/** `#!/usr/bin/env -S python3 -u` → Python. An interpreter counts for its first language. */
export function fromShebang(head: string): string | undefined {
  const line = /^\uFEFF?#![ \t]*([^\n]{1,300})/.exec(head)?.[1];
  if (line === undefined) return undefined;
  const words = line.split(/\s+/);
  const program = nameOf(words[0] ?? "");
  const word =
    program === "env" ? words.slice(1).find((each) => !each.startsWith("-") && !each.includes("=")) : program;
  const interpreter = nameOf(word ?? "");
  const names = BY_INTERPRETER.get(interpreter) ?? BY_INTERPRETER.get(interpreter.replace(/[\d.]{1,20}$/, ""));
  return names?.includes("JavaScript") ? "JavaScript" : names?.includes("Perl") ? "Perl" : names?.[0];
}

/** `-*- mode: perl -*-` of Emacs and `vim: set ft=perl` on the first five lines. */
function fromModeline(head: string): string | undefined {
  const top = head
    .split("\n", 5)
    .map((line) => line.slice(0, 300))
    .join("\n");
  const word =
    /-\*-[^\n]{0,80}?\bmode:\s*([\w+#-]{1,40})/i.exec(top)?.[1] ??
    /-\*-\s*([\w+#-]{1,40})\s*-\*-/.exec(top)?.[1] ??
    /\b(?:vim?|ex):[^\n]{0,80}?\b(?:ft|filetype|syntax)=([\w+#-]{1,40})/.exec(top)?.[1];
  if (word === undefined) return undefined;
  return BY_ID.get(canonicalLanguage(word)) ?? BY_EXTENSION.get(`.${word.toLowerCase()}`)?.[0];
}

// Patterns that distinguish languages with the same extension. One rule per line: extensions |
// language | flags | pattern. A text table, because its patterns are compiled only when such a file
// occurs, and because it reads as a table.

/**
 * The first matching line wins. Our own patterns, each read in one pass. A runtime goes by the name
 * of a `.php`, `.ts`, `.tsx`, `.rs`, `.es` or `.gs`: only a beginning that no such program can have
 * makes it another language, or a word in a comment would keep the rules away.
 */
const TABLE = String.raw`
.al | Perl | m | \buse\s+(?:strict|warnings|v?5\b)|^\s*(?:use|package)\s+[A-Z][\w:]*|^\s*(?:my|our|local)\s+[$@%(]|^\s*sub\s+\w+
.as | ActionScript | m | ^[ \t]*(?:package(?:\s|\{|$)|import\s+[\w.]+;|(?:public|private|internal|override)\s+(?:\w+\s+)*(?:class|function|var)\b)|\bfunction\s+\w+\([^\n)]*\)\s*:
.asc | Public Key | m | ^-----BEGIN|^ssh-
.asc | AGS Script | m | ^[ \t]*(?:\/\/|import|export|function|struct|enum|#sectionstart)
.b | Limbo | m | ^[ \t]*(?:implement|include)\s+["\w]
.b | B | m | \b(?:extrn|auto)\b|^[ \t]*\w+\([^\n)]*\)
.bas | B4X | im | \bA_A_VERSION\b|^Version=\d|\bSub (?:Process_Globals|Class_Globals|Globals)\b|#Region
.bas | FreeBASIC | im | ^[ \t]*#(?:include|define|lang|if|inclib)\b|\b(?:constructor|destructor|namespace)\b|^[ \t]*dim\s+(?:shared\s+)?as\b
.bas | VBA | im | \bVBA\b|^#If (?:VBA7|Mac|Win64)\b|\bPtrSafe\b|\b(?:Application|ActiveSheet|ThisWorkbook|Worksheets?|Range)\b[.(]
.bas | Visual Basic 6.0 | m | ^Attribute VB_Name
.bas | QuickBASIC | m | ^[ \t]*(?:DECLARE|SCREEN|DEFINT|DEFLNG|DEFSNG|CALL|COMMON SHARED)\b|\$(?:DYNAMIC|STATIC|CONSOLE)
.bas | BASIC | im | ^[ \t]*\d+\s+[A-Z]
.bf | HyPhy | m | ^[ \t]*(?:function|fprintf|LoadFunctionLibrary|DataSet|ExecuteAFile|RequireVersion|VERBOSITY_LEVEL|SetDialogPrompt|#include|ModelMatrix)|\/\*
.bf | Befunge | m | [v^<>#_|].*[@"].*$
.bs | Bluespec BH | m | ^[ \t]*(?:package|import|interface|data|struct|class|instance)\b.*(?:where|=|::)|^[ \t]*package\s+\w+\s*(?:\(|where)|::
.cairo | Cairo Zero | m | ^%(?:lang|builtins)\b|^from\s+[\w.]+\s+import|^func\s+\w+|^@(?:view|external|storage_var)\b\s*$\s*func
.cake | C# | m | ^[ \t]*#(?:load|addin|tool|reference)\b|^[ \t]*(?:Task|RunTarget|Setup|var)\b.*[(=]
.cake | CoffeeScript | m | ^[ \t]*(?:task|option|\w+\s*=\s*require)\b|->\s*$
.cfg | HAProxy | m | ^[ \t]*(?:frontend|backend|listen|defaults|global)\b(?!\s*=)
.cl | Common Lisp | im | ^[ \t]*\((?:defun|in-package|defpackage|defvar|defparameter|load|let|defmacro)\b
.cls | TeX | m | ^[ \t]*(?:%|\\(?:NeedsTeXFormat|ProvidesClass|LoadClass|def|newcommand|documentclass|RequirePackage))
.cls | ObjectScript | m | ^Class\s+[\w.%]+(?:\s+Extends|\s*$|\s*\[)
.cls | VBA | im | ^VERSION 1\.0 CLASS\s+BEGIN\s+MultiUse[^\n]*\s+END\b
.cls | OpenEdge ABL | im | ^[ \t]*(?:using|class)\s+[\w.]+(?:\s+(?:inherits|implements|final|abstract)\b[^\n{]*)?\s*[:.]|^[ \t]*(?:routine-level|block-level|define)\b
.cp | Component Pascal | m | ^[ \t]*(?:MODULE|IMPORT|PROCEDURE)\b|\(\*
.cs | Smalltalk | m | ^![\w\s]+(?:class\s+)?methodsFor:|^[ \t]*"[^\n"]*"\s*$[\s\S]{0,40}!
.cs | C# | m | ^[ \t]*(?:using|namespace|public|internal|class|\/\/|#|\[)
.cs | Smalltalk | m | ^!|!\s*$
.cue | Cue Sheet | m | ^[ \t]*(?:FILE ".*" \w+|TRACK \d\d|REM |PERFORMER ")
.d | Makefile | m | ^[\w./\\-]+\.\w+\s*:(?:\s|$)[^\n;{}]*$|^[ \t]*[\w./-]+\s*:.*\\$
.d | DTrace | m | ^#!.*dtrace|^[ \t]*#pragma D option|^(?:[\w*]*:){3}[\w*-]*\s*(?:$|\/|,|\{)|^[ \t]*(?:BEGIN|END)\s*$|^\w*::
.e | Euphoria | m | ^[ \t]*(?:include\s+[\w./]+|namespace|(?:global|export|public)\s|procedure\s|function\s+\w+\()
.e | E | m | ^[ \t]*(?:def|pragma|when|interface)\b
.es | Erlang | - | ^(?:#![^\n]*\n)?\s*%
.es .gs | JavaScript | - | .
.ex | Euphoria | m | ^[ \t]*(?:include\s+\w|namespace\s|without\s|with\s+trace|procedure\s|export\s|(?:integer|sequence|atom|object)\s+\w)
.ex | Elixir | m | ^[ \t]*(?:defmodule|def|use|import|@\w+)\b|\bdo\s*$
.f | Filebench WML | m | ^[ \t]*(?:set|define|debug|eventgen|run)\s+(?:\$|fileset|process|mode)
.f .for | Forth | m | ^: \S+|^\\ 
.fpp | Fortran | im | ^[ \t]*(?:program|module|subroutine|function|implicit|use|#:|!|#)
.fs | Filterscript | - | #pragma\s+(?:version|rs)|__attribute__\(\(kernel\)\)
.fs | GLSL | m | ^[ \t]*(?:#version|precision|uniform|varying|vec[234]|in\s+vec|out\s+vec)\b
.fs | Forth | m | ^: \S+|^\\ |^new-device
.fs | F# | m | ^[ \t]*(?:#light|open|module|namespace|let|type|\/\/|\(\*)
.fx | FLUX | - | =>|->|\btypedef\b
.gd | GAP | m | \b(?:Declare(?:Operation|GlobalFunction|Attribute|Property|Category|InfoClass|Synonym)|BindGlobal|KeyDependentOperation)\b|^##
.gd | GDScript | m | ^[ \t]*(?:extends|class_name|func|var|const|signal|export|onready|tool|@\w+|enum|#)
.gml | Graph Modeling Language | im | ^[ \t]*(?:graph|node)\s*\[|^[ \t]*(?:Creator|Version)\s+"?
.gml .sol | Gerber Image | m | ^[DGMT]\d\d\*
.h .m | Objective-C | m | ^[ \t]*@(?:interface|implementation|protocol|class|property|end|import)\b|^[ \t]*#\s*import\s+["<]
.h | C++ | m | ^[ \t]*(?:class|namespace|template|using|public|private|protected|constexpr)\b(?!\s*[;=,)])|\bstd::|^[ \t]*#\s*include\s*<(?:[a-z_]+|c(?:std\w+|math|assert))>|\bextern\s+"C\+\+"|\bnullptr\b
.hh | Hack | - | <\?hh
.hh | C++ | - | .
.html | Ecmarkup | - | <emu-(?:alg|clause|grammar|note|intro|xref)\b
.i | SWIG | m | ^[ \t]*%(?:module|include|extend|template|rename|import|\{|apply|typemap|define|inline)
.inc | PHP | i | <\?(?:php|=|\s|$)
.inc | POV-Ray SDL | m | ^[ \t]*#(?:declare|local|version|macro|while|default)\b|^[ \t]*(?:camera|light_source|texture|pigment|union)\s*\{
.inc | SourcePawn | m | ^[ \t]*(?:public\s+(?:plugin|Plugin|Extension|SharedPlugin)|methodmap|native\s+\w+\s+\w+\()|^#pragma\s+newdecls|_included\b[\s\S]*\bnative\s+(?:bool|int|void|float|Handle|Action)\b|\bstock\s+(?:bool|int|void|float)\b
.inc | Pawn | m | ^[ \t]*(?:native|stock|forward)\s+(?:\w+:)?\w+\(|_included\b|^#tryinclude
.inc | NASL | im | ^[ \t]*(?:include|if|function|local_var|global_var|exit|script_\w+|port\s*=)\s*[( ].*[;{)]\s*$|^[ \t]*#.*(?:Tenable|Nessus|OpenVAS)
.inc | BitBake | m | ^[ \t]*(?:inherit|require|SRC_URI|DESCRIPTION|SUMMARY|LICENSE|FILES_|DEPENDS|EXTRA_\w+|PV|PACKAGE_ARCH|[A-Z]{3,}(?::\w+)?)\s*(?:[+?:.]?=|\s")|^do_\w+
.inc | C++ | m | ^[ \t]*(?:#\s*(?:include|define|ifndef|ifdef|if|pragma|undef)\b|namespace\b|template\b|static\b|class\b|const\b|void\b|\w+\([^\n)]*\)\s*,?\s*$)
.inc | HTML | i | <(?:!--|html|div|p|a|table|span|script|h[1-6]|li|ul|td|tr|br|meta)\b
.inc | SQL | im | ^[ \t]*(?:select|create|insert|update|drop|alter|delete|let|eval|--)[^\n;]*$
.inc | Pascal | im | ^[ \t]*(?:\{|\(\*|procedure\b|function\b|type\b|const\b|var\b|begin\b|\{\$)
.asm .i .s .inc | Motorola 68K Assembly | i | \b(?:move(?:\.[bwl]|m|q|a)|lea)\s+\S+\s*,\s*[ad][0-7]\b|\b(?:d[0-7]|a[0-6])\s*,|\.[bwl]\s+[#(ad]
.i .inc | Assembly | im | ^[ \t]*(?:\.?(?:globl|global|section|text|align|equ|org)\b|\w+:?\s+(?:equ|db|dw|dd|macro|proc)\b|(?:mov|push|pop|jmp|call|lda|sta|ldi)\s)|^[ \t]*%(?:macro|define|include)
.j | Jasmin | m | ^[ \t]*\.(?:class|super|method|source|bytecode|implements|interface)\b
.j | JASS | m | ^[ \t]*(?:function|globals|endglobals|native|library|scope)\b
.jq | JSONiq | m | ^[ \t]*(?:import\s+module|jsoniq version|declare|let\s+\$|for\s+\$|\(:)
.json | OASv2-json | - | "swagger"\s*:\s*"2\.
.json | OASv3-json | - | "openapi"\s*:\s*"3\.
.k | KFramework | m | ^[ \t]*(?:module|syntax|rule|imports|endmodule|configuration|requires?)\b\s*[\w"<$]
.ks | Kickstart | m | ^[ \t]*(?:%(?:post|packages|pre|end)|lang|keyboard|rootpw|timezone|bootloader|install|url\s+--)\b
.l | Common Lisp | im | ^[ \t]*\((?:defun|defmacro|defvar|in-package|defpackage|defparameter|provide|eval-when)\b|^[ \t]*;;
.1in .l .nr | Roff | m | ^\.
.l | PicoLisp | m | ^\((?:de|class|dm|load|rel|setq)\s|^#
.lean | Lean | m | ^import\s+(?:data|algebra|tactic|order|init|logic|topology)\b|\bbegin\b|^universes?\s+u.*variable
.lisp .lsp | NewLisp | m | ^[ \t]*\(define\s|#!.*newlisp|\(context\s
.lp | Linear Programming | im | ^[ \t]*(?:minimi[sz]e|maximi[sz]e|min|max|subject to|s\.t\.|\\)
.lp | Lambdapi | m | ^[ \t]*(?:require|symbol|rule|opaque|constant|inductive|open|assert|\/\/)\b
.ls | LoomScript | m | ^[ \t]*(?:package|import|public|class)\s+[\w.]+\s*[;{]?\s*$
.m | Mercury | m | ^[ \t]*:-\s*(?:module|interface|import_module|pred|type|func|implementation)\b
.m | MUF | m | ^: \S
.m | M | im | ^[ \t]*;|^\w+(?:\([^\n)]*\))?\s*(?:;|\s(?:[snqdwk]|set|new|quit|do|write|kill)(?::\S+)?\s)
.m | Wolfram Language | m | \(\*|\bBeginPackage\[|:=.*\[|^[ \t]*\w+\[[^\n\]]*_\w*\]
.m | MATLAB | m | ^[ \t]*(?:%|function\b|classdef\b|clear\b|clc\b|close all\b|if\b|for\b|\w+\s*=.*;?\s*$)
.m | Limbo | m | ^[ \t]*(?:include\s+"|\w+\s*:\s*module\b)
.m4 | M4Sugar | m | \bA[CM]_[A-Z_]+|AU_DEFUN|AC_DEFUN|m4_(?:define|ifdef|pattern|init|include)|\bAX_|^dnl.*(?:autoconf|aclocal)
.mc | M4 | m | \bdnl\b|^[ \t]*(?:divert|define|include)\(
.md | GCC Machine Description | m | ^[ \t]*\(define_(?:insn|expand|attr|constants|cpu_unit|peephole|register_constraint)|^;;
.ml | Standard ML | m | =>\s*(?:fn|case|raise)|^[ \t]*(?:structure|signature|functor|fun|datatype)\s
.mo | Motoko | im | ^[ \t]*(?:import\s+\w+\s+"|(?:shared\s*(?:\([^\n)]*\)\s*)?)?(?:actor|persistent actor)\b|\/\/.*motoko|let\s+\w+\s*=|module\s*\{)
.mod | XML | - | ^[ \t]*<!ENTITY|^[ \t]*<
.mod | Modula-2 | im | ^[ \t]*(?:(?:DEFINITION|IMPLEMENTATION)[ \t]+)?MODULE\s+\w+\s*(?:\[|;|\()
.mod | NMODL | m | ^[ \t]*(?:NEURON|TITLE|UNITS|PARAMETER|BREAKPOINT)\b
.mod | AMPL | m | ^[ \t]*(?:set|param|var|minimize|maximize|subject to|solve|model)\s+\w
.mod | Linux Kernel Module | m | \.ko\b|^[\w/.-]+\.o\b
.mojo .res .rs .sw | XML | - | ^[ \t]*<
.ms | MiniScript | m | ^[ \t]*(?:import\s+"|end\s+(?:function|if|while|for)|print\s+["\w]|\w+\s*=\s*function)
.ms | MAXScript | im | ^[ \t]*(?:fn|rollout|macroScript|struct|utility|local|global|--)
.nb | Wolfram Language | m | ^\(\*|^Notebook\[|BeginPackage
.ncl | XML | i | ^[ \t]*<(?:\?xml|ncl|!)
.ncl | Gerber Image | m | ^[DGMT]\d\d\*|^G04|^%FS
.ncl | NCL | m | ^[ \t]*(?:load\s+["$]|begin\b|undef|procedure|;)|\w+\s*=\s*addfile\(|=\s*True\b
.ncl | Nickel | m | ^[ \t]*(?:let\s|import\s|\{|fun\s)
.nb .ncl | Text | - | .
.nl | NL | - | .
.nu | Nushell | m | ^[ \t]*(?:#!.*\bnu\b|(?:export\s+)?(?:def|extern|module|alias|use|const)\s+|let\s+\w+\s*=|\$env\.|\$in\b|overlay\s)|\|\s*(?:each|where|get|select|into|str|lines|from|to)\b
.nu | Nu | m | ^[ \t]*(?:;|\()
.p | Gnuplot | m | ^[ \t]*(?:set\s+(?:terminal|output|title|xlabel|ylabel|style)|plot|splot|reset)\b|^s?pl?(?:ot)?\b
.p | OpenEdge ABL | - | .
.php | PHP | - | .
.pkl | Pickle | - | ^(?:\(|c)?(?:dp|lp|ccopy_reg|[A-Za-z_]+\n[A-Za-z_]+\n)|\np\d+\n
.pkl | Pkl | m | ^[ \t]*(?:module|import|amends|extends|class|function|local|@\w+|typealias|\w+\s*(?:=|\{))
.pl .plt .pro | Prolog | m | ^[ \t]*:-|^[a-z]\w*(?:\(.*\))?\s*(?::-|-->)
.pm | Raku | m | ^[ \t]*(?:use\s+v6|unit\s|(?:my\s+)?(?:module|grammar|role|class)\s+[\w:]+|multi\s|role\s)
.pl .pm | Perl | m | \buse\s+(?:strict|warnings|v?5\b)|^[ \t]*(?:use|package)\s+[A-Z][\w:]*|^[ \t]*(?:my|our|local)\s+[$@%(]|^[ \t]*sub\s+\w+
.pm | X PixMap | - | \/\*\s*XPM
.pp | Puppet | m | ^[ \t]*(?:class|define|node|include|package|file|service|exec|\$\w+\s*=|@?\w+\s*\{\s*['"$])
.pp | Pascal | im | ^[ \t]*(?:unit|program|uses|interface|procedure|function|begin|implementation)\b[^\n{};]*;?\s*$
.pro | IDL | im | ^[ \t]*(?:function|pro)\s+\w+\s*(?:,|$)|^[ \t]*;\+|\bcompile_opt\b
.pro | INI | m | ^[ \t]*\[\w+\]|last_client=
.pro | QMake | - | \b(?:HEADERS|SOURCES|CONFIG|QT|TEMPLATE|TARGET|SUBDIRS|DEPENDPATH)\b\s*[+\-*]?=
.pro | Proguard | m | ^[ \t]*-(?:keep|dont|optimiz|ignorewarn|assumenosideeffects|renamesource|allow|verbose|libraryjars|injars)
.properties | INI | m | ^[^\n#!;][^\n=:]*[^\n=:\s]\s+=|^[ \t]*;
.properties | Java Properties | m | ^[^\n#!;][^\n=]*=
.q | HiveQL | im | ^[ \t]*(?:select|create|insert|drop|set\s+hive|use|from|explain|--)
.r | Rebol | i | \bREBOL\b
.r | Rez | m | ^[ \t]*(?:resource|data|#include\s+["<]|#define|type\s+'|include\s+")
.r | R | m | <-|^[ \t]*(?:#|library\(|function\()
.rs | RenderScript | - | ^(?:\s|\/\/[^\n]*\n|\/\*(?:(?!\/\*|\*\/)[\s\S])*\*\/)*#[ \t]*(?:include|pragma)\b
.rs | Rust | - | .
.rsc | Rascal | m | ^[ \t]*module\s+[\w:]+|^import\s+[\w:]+;
.s | Assembly | m | ^[A-Za-z_.]*[ \t]+(?:EQU|AREA|DCB|DCD|EXPORT|IMPORT|PROC|ENDP)\b|^[ \t]*;
.sc | SuperCollider | m | \b(?:this|super)\.(?!\w+\s*=>)\w+|^[ \t]*[+]\s*\w+\s*\{|^[ \t]*\w+\s*:\s*\w+\s*\{|^[ \t]*\*\w+\s*\{|\{\s*\|[\w\s,.]+\||^[ \t]*(?:var|arg)\s+<?>?\w+|~\w+|SynthDef|\.ar\(
.sc | Scala | m | ^[ \t]*(?:import|package|object|class|trait|def|val|case)\s
.sch | Scheme | m | ^[ \t]*[(;]
.scm | Tree-sitter Query | m | ^[ \t]*\([a-z_]+(?:\s|\))[^\n;]*@|@[a-z]+(?:\.[a-z]+)*\s*\)?\s*$|^; inherits|\(#(?:match|eq|any-of|set|lua-match|not)|^\[\s*$
.scd | Markdown | m | ^#+\s|^[ \t]*[-*] 
.sls | Scheme | - | ^[ \t]*[(;#]!?(?:r6rs|library|import|;)?
.spec | RPM Spec | m | ^(?:Name|Version|Summary|%define|%global|%description|%package)\b
.spec | Ruby | m | \b(?:describe|context|it)\s+["':]|^require\s+['"]
.spec | Python | im | ^[ \t]*(?:a\s*=\s*Analysis|import|from|block_cipher|def|# -\*-)
.sql | PLpgSQL | im | \blanguage\s+'?plpgsql'?|\$\$|\$(?:body|func|function|do)\$|\bset\s+(?:search_path|client_encoding)\b|\bcreate\s+extension\b|^\\(?:echo|i|connect|unset)\b|\bbegin\b[^\n;]*;[\s\S]{0,400}\braise\s+(?:notice|exception)\b
.sql | SQLPL | im | \blanguage\s+sql\b|\bbegin\s+atomic\b|\b(?:declare|signal)\s+sqlstate\b|\bmode\s+db2sql\b|\bdynamic\s+result\s+sets?\b|\bterminate\s*[!@]?\s*$
.sql | PLSQL | im | \bvarchar2\b|\bpragma\b|\bdbms_|\bauthid\b|\bcreate\s+or\s+replace\s+(?:package|type|force\s+view|trigger|and)|^[ \t]*\/\s*$|\bsysdate\b|\bnumber\(\d
.sql | TSQL | im | ^[ \t]*GO\s*$|\[dbo\]|\bset\s+(?:ansi_nulls|quoted_identifier|nocount)\b|^[ \t]*declare\s+@|\bbegin\s+(?:try|catch)\b|\bdbo\.
.sw | Sway | - | .
.t | Terra | m | \bterra\b|\bterralib\b|^[ \t]*local\s+\w+\s*=
.pl .t | Raku | m | ^[ \t]*(?:use\s+v6|(?:unit\s+)?(?:module|grammar|role|class)\s+[\w:]+|(?:multi|proto)\s+\w+)|^[ \t]*use\s+(?:Test|lib)\b|\bmy\s+[$@%][.!?]?\w+-\w
.t | Perl | m | \buse\s+(?:strict|warnings|lib|Test|v?5)|^#!.*perl|[$@%]\w+
.t | Turing | m | ^[ \t]*%|^[ \t]*(?:var|const|put|get|proc|procedure|function|import|loop)\b.*$|:=
.tact .yy | JSON | - | ^[ \t]*\{\s*"
.tpl | Go Template | - | \{\{-?\s*(?:if|range|define|template|include|end|with|block|\.|\/\*|\$)
.tpl | Smarty | - | .
.ts | XML | - | ^\s*<!DOCTYPE TS>
.ts | TypeScript | - | .
.tsp | TSPLIB data | m | ^(?:NAME|TYPE|COMMENT|DIMENSION|EDGE_WEIGHT_TYPE)\s*:
.tsx | TSX | - | .
.txt | Vim Help File | m | ^\*\S+\.txt\*|(?:^|[ \t])vim:.{0,80}\b(?:ft|filetype)=help
.txt | Adblock Filter List | m | ^\[(?:uBlock|Adblock|uBO)[^\n\]]*\]|^! Title:
.v | Rocq Prover | m | ^[ \t]*(?:Require|Import|From\s+\w+\s+Require|Theorem|Lemma|Proof|Section|Definition|Inductive|Fixpoint|Module|Export|Set\s+Implicit)\b|\(\*
.v | Verilog | m | ^[ \t]*(?:module\s+\w+\s*(?:#|\(|;|$)|\x60(?:define|timescale|include|ifdef|default_nettype)|endmodule|always\s*@|initial\s+begin|assign\s|input\s|output\s|wire\s|reg\s)
.v | V | m | \bfn\s+(?:\([^\n)]*\)\s*)?\w+|^[ \t]*(?:module|import|struct|pub\s|\$if|#flag|const\s*\()
.vba | Vim script | m | ^UseVimball|^[ \t]*"|\bfunction!
.vhost | Nginx | m | ^[ \t]*server\s*\{|^[ \t]*(?:location|listen|server_name)\b
.w | OpenEdge ABL | im | &ANALYZE-SUSPEND|&Scoped-define|^[ \t]*DEFINE\s
.workflow | HCL | m | ^[ \t]*(?:workflow|action)\s+"
.x | Logos | m | ^[ \t]*%(?:hook|end|ctor|group|new|init|orig|log|class|dtor|hookf|property)\b|%\{?orig
.x | RPC | m | \b(?:program|version)\s+\w+\s*\{|^[ \t]*%#|^[ \t]*(?:union\s+\w+\s+switch|struct\s+\w+\s*\{|const\s+\w+\s*=|typedef\s)
.yaml .yml | MiniYAML | m | ^\t+(?:-?\w|\^)
.yaml .yml | OASv2-yaml | m | ^swagger:\s*['"]?2\.
.yaml .yml | OASv3-yaml | m | ^openapi:\s*['"]?3\.
`;

const ROWS = Map.groupBy(
  TABLE.trim()
    .split("\n")
    .flatMap((line) => {
      const [extensions = "", language = "", flags = "", ...pattern] = line.split(" | ");
      const row = { language, flags: flags.replace("-", ""), source: pattern.join(" | ") };
      return extensions.split(" ").map((extension) => ({ extension, ...row }));
    }),
  ({ extension }) => extension,
);

const compiled = new Map<string, readonly { readonly language: string; readonly pattern: RegExp }[]>();

/** Linguist's names with the patterns of an extension (`.h`), in the order of trial. */
export function tellingWords(extension: string) {
  const found =
    compiled.get(extension) ??
    (ROWS.get(extension) ?? []).map(({ language, source, flags }) => ({
      language,
      pattern: new RegExp(source, flags),
    }));
  compiled.set(extension, found);
  return found;
}

// GitHub's language data (linguist), unpacked once into maps. The packed table is generated:
// scripts/generate-languages.ts.

/** `programming` is code, `markup` like HTML, `data` like JSON, `prose` for people. */
export type LanguageType = "programming" | "markup" | "data" | "prose";

interface Packed {
  readonly type: string;
  readonly extensions?: string;
  readonly filenames?: string;
  readonly interpreters?: string;
}

const LANGUAGES = Object.entries(packed.languages as Readonly<Record<string, Packed>>);

/** Every linguist name with its type. */
export const LANGUAGE_TYPES: ReadonlyMap<string, LanguageType> = new Map(
  LANGUAGES.map(([name, { type }]) => [name, type as LanguageType]),
);

/** Lower-cased extension with its dot (`.ts`, `.blade.php`) → the linguist names that claim it. */
export const BY_EXTENSION = claims((language) => language.extensions?.toLowerCase());

/** Exact basename (`Gemfile`) → linguist names. */
export const BY_FILENAME = claims((language) => language.filenames);

/** Interpreter of a `#!` line → linguist names. */
export const BY_INTERPRETER = claims((language) => language.interpreters);

/** Canonical id → linguist name, for modelines; of two with one id the first by name. */
const BY_ID: ReadonlyMap<string, string> = new Map(
  LANGUAGES.toReversed().map(([name]) => [canonicalLanguage(name), name]),
);

function claims(words: (language: Packed) => string | undefined): ReadonlyMap<string, readonly string[]> {
  const all = LANGUAGES.flatMap(
    ([name, one]) =>
      words(one)
        ?.split(" ")
        .map((word) => ({ word, name })) ?? [],
  );
  const byWord = Map.groupBy(all, ({ word }) => word);
  return new Map([...byWord].map(([word, claimed]) => [word, [...new Set(claimed.map(({ name }) => name))]]));
}

// For which files a model's suggestion may be committed with one click. A model may have listened to the change, so nothing
// that runs, installs or instructs: known extensions of source code only, and of those no file that a tool starts by its name.

/** Source code that takes effect when its program is built or started. Shells, build languages, prose and data are not here. */
const SOURCE = new Set(
  [
    "c h cc cpp cxx c++ hh hpp hxx inl ipp m mm cu cuh d zig nim v odin s asm",
    "go rs swift java kt scala clj cljs cljc cs fs fsi vb dart",
    "js jsx mjs cjs ts tsx mts cts vue svelte astro elm",
    "py pyi pyx rb php pl pm lua tcl r jl ex erl hrl hs ml mli lisp scm rkt cr hx gd pas f90 f95 f03 adb ads cob",
    "html htm css scss sass less styl erb ejs hbs twig pug liquid",
    "sql proto thrift graphql gql sol vy glsl hlsl wgsl vert frag sv vhd vhdl",
  ].flatMap((line) => line.split(" ")),
);

/** Matched against the path with `/` before it, so at any depth. Source files only: other extensions are refused anyway. */
const STARTED_BY_NAME: readonly RegExp[] = [
  // Folders of tools and of builds, and of what people and CI start by hand.
  /\/(?:\.[^/]+|s?bin|scripts?|ci|buildSrc|build-logic|magefiles|Formula|Casks)\//i,
  /\/\.[^/]*$/,
  // `Makefile.PL`, `gulpfile.babel.ts`, `Dockerfile.go`
  /\/(?:Jenkins|Docker|Container|Make|GNUmake|Rake|Gem|Pod|Pip|Proc|Vagrant|gulp|grunt|jake|cake|nox|tox|fab|conan|danger|mage|task|just|snake|tilt|robo)file(?:\.[^/]*)?$/i,
  // Started when something is installed, built or tested.
  /\/(?:setup|build|configure|(?:pre|post)?-?install|[a-z]+[_-](?:cli-)?build|extconf|conftest|(?:site|user)customize|versioneer|testem)\.[^/.]+$/i,
  /\/(?:conf|dodo|tasks|duties|pavement)\.py$/i,
  /\/(?:premake\d?|xmake)\.lua$/i,
  /\/(?:rector|ecs|deploy|castor)\.php$/i,
  /\/(?:Package(?:@[^/]*)?|Project)\.swift$/i,
  /\/(?:project|profiles)\.clj$/i,
  /\/project\/[^/]+\.scala$/i,
  /\.(?:build|target)\.cs$/i,
  /\/make\.jl$/i,
  // Configuration that is code.
  /[._-](?:conf|config|setup|preset)\.[^/.]+$/i,
  /\/(?:webpack|rollup|vite|vitest|jest|karma|metro|babel|esbuild|tsup|cypress|playwright|wdio|protractor|nightwatch|postcss|tailwind)(?:[.-][^/]*)?\.[cm]?[jt]s$/i,
];

/** @param path from the root of the repository, with `/` */
export function isCommittable(path: string): boolean {
  const [, extension = ""] = /\.([^./]+)$/.exec(path) ?? [];
  return SOURCE.has(extension.toLowerCase()) && !STARTED_BY_NAME.some((pattern) => pattern.test(`/${path}`));
}

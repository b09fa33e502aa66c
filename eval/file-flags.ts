// Linguist's vendored and generated flags, as far as a path shows them. Only measured: what a
// review leaves out is gather's own list (linguist calls every workflow file vendored).

interface FileFlags {
  readonly vendored: boolean;
  readonly generated: boolean;
}

/** From linguist's vendor list, in our words: folders of other people's code, at any depth. */
const VENDORED: readonly RegExp[] = [
  /(?:^|\/)(?:node_modules|bower_components|vendors?|cache|dist|testdata|env|admin_media|ace-builds|MathJax|flow-typed)\//,
  /(?:^|\/)(?:[Ee]xtern(?:als?)?|3rd[-_]?[Pp]arty|[Tt]hird[-_]?[Pp]arty|Carthage|Sparkle|[Bb]ourbon|puphpet|select2)\//,
  /(?:^|\/)(?:[Tt]ests?|[Ss]pecs?)\/fixtures\//,
  /(?:^|\/)(?:\.github|\.vscode|\.obsidian|\.teamcity|\.google_apis)\//,
  /(?:^|\/)(?:gradle|\.mvn)\/wrapper\/|(?:^|\/)\.yarn\/(?:releases|plugins|sdks|versions|unplugged)\//,
  /(?:^|\/)docs?\/_?(?:build|themes?|templates?|static)\//,
  /(?:^|\/)(?:inst\/extdata|Godeps\/_workspace|font-?awesome|bootstrap-datepicker|extjs|swagger-ui)\//i,
  /(?:^|\/)[^/]{1,100}\.(?:xctemplate|imageset|framework)\//,
  /^(?:deps|[Dd]ependencies|debian)\//,
  /(?:^|\/)[Pp]ackages\/.+\.\d+\//,
  // Single files.
  /(?:^|\/)(?:\.gitignore|\.gitattributes|\.gitmodules|\.DS_Store|\.osx|\.indent\.pro|fabfile\.py|waf|cpplint\.py)$/,
  /(?:^|\/)(?:configure|config\.(?:guess|sub)|aclocal\.m4|libtool\.m4|lt(?:options|sugar|version|~obsolete)\.m4|erlang\.mk|rebar)$/,
  /(?:^|\/)(?:gradlew|gradlew\.bat|mvnw|mvnw\.cmd|activator|activator\.bat|dotnet-install\.(?:ps1|sh)|run\.n)$/,
  /(?:^|\/)(?:Vagrantfile|[Jj]enkinsfile|\.gitpod\.Dockerfile|proguard\.pro|proguard-rules\.pro)$/,
  /\.d\.ts$/,
  /[.-]min\.(?:js|css)$/,
  /(?:^|\/)(?:normalize|skeleton|foundation|animate|materialize|bulma|octicons|font-?awesome|custom\.bootstrap)\.(?:css|less|scss|styl|sass|js)$/,
  /(?:^|\/)(?:[^/]*import|bootstrap[^/.]*(?:\.[^/]*)?)\.(?:css|less|scss|styl)$|(?:^|\/)bootstrap[^/.]*(?:\.[^/]*)?\.js$/,
  /(?:^|\/)(?:jquery|jquery-ui|angular|react|d3|prototype|mootools|modernizr|knockout|yui|yahoo-|cordova|tiny_mce|layui)(?:[-.]?(?:v?\d[\d.]*|[a-z]+))?(?:[-.][a-z\d]+)*\.js$/,
  /(?:^|\/)(?:ckeditor|effects|controls|dragdrop|dojo|MochiKit|bootbox|pdf\.worker|shCore|shLegacy|shBrush[^/.]*)\.js$/,
  /(?:-vsdoc|\.intellisense)\.js$|(?:^|\/)fontello[^/]*\.css$/,
];

/** From linguist's generated-file rules: what a path shows. */
const GENERATED: readonly RegExp[] = [
  /(?:^|\/)(?:node_modules|Pods|Carthage\/Build|\.idea|htmlcov|__generated__|\.yarn\/(?:cache|releases))\//,
  /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|composer\.lock|Cargo\.lock|Cargo\.toml\.orig)$/,
  /(?:^|\/)(?:poetry|pdm|Pipfile|Gopkg|glide|esy|deno|flake|MODULE\.bazel|pixi)\.lock$|(?:^|\/)\.terraform\.lock\.hcl$/,
  /(?:^|\/)\.pnp\.[cm]?js$/,
  /(?:^|\/)vendor\/(?:[-0-9A-Za-z]+\.)+(?:com|edu|gov|in|me|net|org|fm|io)\//,
  /(?:^|\/)vcr_cassettes\/.+\.yml$/,
  /\.(?:nib|xcworkspacedata|xcuserstate)$|\.zep\.(?:c|h|php)$|\.designer\.(?:cs|vb)$|\.feature\.cs$/i,
  /[.-]min\.(?:js|css)$|\.(?:js|css)\.map$/,
  /(?:\.pb(?:\.gw|\.validate)?\.go|_grpc\.pb\.go|_pb2(?:_grpc)?\.pyi?|_pb\.(?:js|d\.ts|rb)|\.pb\.(?:h|cc|swift|dart)|\.pbobjc\.[hm])$/,
  /(?:^|\/)zz_generated[._][^/]+\.go$|[._]generated?\.go$|\.(?:g|freezed|gr)\.dart$|(?:^|\/)\.sqlx\/query-[^/]+\.json$/,
];

/** @param path with `/`, from the root of the repository */
export function fileFlags(path: string): FileFlags {
  return {
    vendored: VENDORED.some((pattern) => pattern.test(path)),
    generated: GENERATED.some((pattern) => pattern.test(path)),
  };
}

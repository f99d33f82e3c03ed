/** The page at `/docs`: the API reference by Scalar, without calls to other servers. Its URLs are relative, so that it works behind a path. */
import * as crypto from "node:crypto"
import * as Tokens from "#src/edges/http/pages/Tokens.ts"
import { version } from "#src/kernel/program/ReleaseVersion.ts"

export const contentType = "text/html; charset=utf-8"

/** Disables everything that would call other servers. */
const configuration = {
  documentDownloadType: "none",
  authentication: { preferredSecurityScheme: "bearer" },
  hideClientButton: true,
  persistAuth: false,
  proxyUrl: "",
  showDeveloperTools: "never",
  telemetry: false,
  // The colours are below.
  theme: "none",
  withDefaultFonts: false
}

/** The tokens of the design system under the names that Scalar has for them. */
const theme = `
body {
  --scalar-background-1: var(--sheet);
  --scalar-background-2: var(--page);
  --scalar-background-3: var(--sunk);
  --scalar-background-accent: var(--accent-sheet);
  --scalar-border-color: var(--line);
  --scalar-color-1: var(--text);
  --scalar-color-2: var(--quiet);
  --scalar-color-3: var(--quiet);
  --scalar-color-accent: var(--accent);
  --scalar-color-red: var(--alarm);
  --scalar-color-orange: var(--warning);
  --scalar-color-blue: var(--info);
  --scalar-color-green: var(--accent);
  --scalar-button-1: var(--accent);
  --scalar-button-1-color: var(--on-accent);
  --scalar-font: var(--font);
  --scalar-font-code: var(--mono);
  --scalar-radius: var(--radius);
  --scalar-radius-lg: var(--radius-large);
}`

/** Scalar has a switch for the scheme, which sets a class. */
const style = `${Tokens.sheet(theme, { dark: ".dark-mode" })}${theme}
/* Without it, phones can scroll sideways to texts for screen readers. */
main { overflow-x: clip }`

/**
 * Allows test requests only if all of them go to the origin of the page, because the browser blocks others. Fills in the
 * examples of parameters as defaults. The document itself has no such defaults, because generated clients would send them.
 */
const start = (apiOrigins: ReadonlyArray<string>) => `
const isHere = ${JSON.stringify(apiOrigins)}.every((origin) => origin === location.origin)
const fill = (parameter) => {
  if ("example" in parameter) parameter.schema = { ...parameter.schema, default: parameter.example }
}
const show = (content) => {
  for (const path of Object.values(content.paths)) {
    for (const operation of Object.values(path)) operation.parameters?.forEach(fill)
  }
  content.info.description = "Release ${version}.\\n\\n" + content.info.description
  Scalar.createApiReference("#reference", { ...${JSON.stringify(configuration)}, content, hideTestRequestButton: !isHere })
}
const showError = () => {
  document.getElementById("reference").textContent = "The reference cannot be shown, because openapi.json did not load. Try again."
}
fetch("openapi.json").then((answer) => answer.ok ? answer.json() : Promise.reject(answer)).then(show, showError)
`

const sourceHash = (script: string): string => `'sha256-${crypto.hash("sha256", script, "base64")}'`

export const make = (options: {
  readonly title: string
  /** The origins that serve the operations. */
  readonly apiOrigins: ReadonlyArray<string>
  /** The URL of the script, relative to the page. */
  readonly script: string
}) => {
  const inline = start(options.apiOrigins)
  return {
    html: `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${options.title} API reference</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<div id="reference"></div>
<noscript>This page needs JavaScript. The same API is described in <a href="openapi.json">openapi.json</a>.</noscript>
<script src="${options.script}"></script>
<script>${inline}</script>
</body>
</html>
`,
    // The script of Scalar contains its styles, and sets others on elements.
    contentSecurityPolicy: [
      "default-src 'none'",
      `script-src 'self' ${sourceHash(inline)}`,
      "style-src 'unsafe-inline'",
      "img-src data:",
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'"
    ].join("; ")
  }
}

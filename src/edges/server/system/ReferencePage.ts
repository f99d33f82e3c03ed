/** The page at `/docs`: Scalar's reference of the API, told to keep to this server. Its addresses are relative, so that it works behind a path. */
import * as crypto from "node:crypto"
import { version } from "#src/kernel/program/ReleaseVersion.ts"

export const contentType = "text/html; charset=utf-8"

/** Everything that would call elsewhere is off. */
const configuration = {
  documentDownloadType: "none",
  authentication: { preferredSecurityScheme: "bearer" },
  defaultOpenAllTags: true,
  hideClientButton: true,
  persistAuth: false,
  proxyUrl: "",
  showDeveloperTools: "never",
  telemetry: false,
  withDefaultFonts: false
}

/** Or phones could scroll the page sideways, to texts that are for screen readers alone. */
const style = "main { overflow-x: clip }"

/**
 * Requests can be tried where they go to the origin of the page: to no other one does the browser let them. What a parameter
 * gives as its example is filled in, which the reference does with defaults alone: the document itself has none of these, or
 * generated clients would send them.
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
const tell = () => {
  document.getElementById("reference").textContent = "The reference cannot be shown: openapi.json did not load. Try again."
}
fetch("openapi.json").then((answer) => answer.ok ? answer.json() : Promise.reject(answer)).then(show, tell)
`

const sourceHash = (script: string): string => `'sha256-${crypto.hash("sha256", script, "base64")}'`

export interface ReferencePage {
  readonly html: string
  readonly contentSecurityPolicy: string
}

export const make = (options: {
  readonly title: string
  /** Where the operations are served. */
  readonly apiOrigins: ReadonlyArray<string>
  /** The script's address, relative to the page. */
  readonly script: string
}): ReferencePage => {
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
<noscript>This page needs JavaScript. What it shows is described at <a href="openapi.json">openapi.json</a>.</noscript>
<script src="${options.script}"></script>
<script>${inline}</script>
</body>
</html>
`,
    // Scalar brings its styles in the script, and sets others on elements.
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

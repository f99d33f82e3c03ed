/** The style sheet of all pages, allowed by its hash. Its colours are those of the console (docs/design.md). */
import * as crypto from "node:crypto"
import * as Tokens from "#src/edges/http/pages/Tokens.ts"

const rules = `
* { box-sizing: border-box }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100% }
body {
  margin: 0;
  padding: clamp(1rem, 5vw, 4rem) 1rem 3rem;
  background: var(--page);
  color: var(--text);
  font: 1rem/1.5 var(--font);
  overflow-wrap: anywhere;
}
header, main { max-width: 28rem; margin: 0 auto }
header { margin-bottom: 1rem; color: var(--quiet); font-weight: 600; letter-spacing: -0.01em }
main {
  padding: clamp(1.25rem, 6vw, 2.25rem);
  background: var(--sheet);
  border: 1px solid var(--line);
  border-radius: var(--radius-large);
}
h1 { margin: 0 0 0.75rem; font-size: var(--size-title); line-height: 1.25; letter-spacing: -0.015em; text-wrap: balance }
h2 { margin: 1.75rem 0 0.5rem; font-size: 1rem; line-height: 1.4 }
p { margin: 0 0 0.75rem; text-wrap: pretty }
p:last-child { margin-bottom: 0 }
ul { margin: 0 0 0.75rem; padding-inline-start: 1.25rem }
li { padding-inline-start: 0.125rem }
li + li { margin-top: 0.25rem }
.quiet { color: var(--quiet); font-size: 0.9375rem }
.to {
  margin: 1.25rem 0;
  padding: 0.75rem 0;
  border: solid var(--line);
  border-width: 1px 0;
}
.to p { margin: 0 }
.to strong { display: block; font-size: 1.0625rem }
a { color: var(--accent); text-underline-offset: 0.15em }
label { display: block; margin: 1rem 0 0.375rem; font-weight: 600 }
input {
  width: 100%;
  min-height: 2.75rem;
  padding: 0.5rem 0.75rem;
  border: 1px solid var(--edge);
  border-radius: var(--radius);
  background: var(--sheet);
  color: inherit;
  font: inherit;
}
input[aria-invalid] { border-color: var(--alarm) }
.hint { margin: 0.375rem 0 0; color: var(--quiet); font-size: 0.875rem }
details { margin-top: 1rem }
summary { width: fit-content; padding: 0.25rem 0; color: var(--accent); cursor: pointer }
.decision { display: flex; flex-wrap: wrap; gap: 0.75rem; margin-top: 1.5rem }
button {
  flex: 1 1 8rem;
  min-height: 2.75rem;
  padding: 0.5rem 1rem;
  border: 1px solid var(--edge);
  border-radius: var(--radius);
  background: transparent;
  color: inherit;
  font: inherit;
  font-weight: 600;
  cursor: pointer;
}
button[value="allow"] { border-color: var(--accent); background: var(--accent); color: var(--on-accent) }
.problem {
  margin-bottom: 1.5rem;
  padding: 0.75rem 1rem;
  border: 1px solid var(--alarm);
  border-radius: var(--radius);
  background: var(--alarm-sheet);
}
.problem strong { color: var(--alarm) }
.problem p { margin: 0.125rem 0 0 }
.problem:focus { outline: none }
a:focus-visible, button:focus-visible, input:focus-visible, summary:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
.ending { margin-top: 1.75rem; padding-top: 1.25rem; border-top: 1px solid var(--line) }
.ending h2 { margin-top: 0 }
`

export const css = `${Tokens.sheet(rules)}${rules}`

/** The source for `style-src`. */
export const source = `'sha256-${crypto.hash("sha256", css, "base64")}'`

/** The same call as a program: curl, TypeScript and Python, without packages. The key is a variable of the environment. */
import * as JsonText from "#domain/JsonText.ts"
import { isList } from "#console/views/result/JsonShape.ts"
import type { Json } from "#domain/CanonicalJson.ts"

export type Language = "curl" | "typescript" | "python"

export const languages: ReadonlyArray<{ readonly id: Language; readonly label: string }> = [
  { id: "curl", label: "curl" },
  { id: "typescript", label: "TypeScript" },
  { id: "python", label: "Python" }
]

export interface SampleCall {
  /** Address of the queue host, without a slash at the end. */
  readonly queueUrl: string
  /** `owner/name` */
  readonly model: string
  readonly input: Json
}

/** The name of the variable that holds the API key. */
export const keyVariable = "INFERLOG_API_KEY"

/** Characters of an input that are shown within a program. Larger ones are read from a file, which the reader saves. */
export const longestInput = 100_000

/** The file that a program reads a larger input from. */
export const inputFile = "input.json"

/** How an argument is written for a POSIX shell. */
export const shellQuoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** A Python literal of the value: JSON, but for three names. JSON's strings and numbers are Python's, too. */
const pythonLiteral = (value: Json, indent = "", scalar: string | null = null): string => {
  if (value === null) return "None"
  if (value === true) return "True"
  if (value === false) return "False"
  if (typeof value !== "object") return scalar ?? JSON.stringify(value)
  const deeper = `${indent}    `
  const isOfItems = isList(value)
  const members = JsonText.entries(value).map(({ name, scalar, value: member }) => {
    const label = isOfItems ? "" : `${JSON.stringify(name)}: `
    return label + pythonLiteral(member, deeper, scalar)
  })
  const [begin, end] = isOfItems ? ["[", "]"] : ["{", "}"]
  if (members.length === 0) return begin + end
  return `${begin}\n${members.map((member) => `${deeper}${member},\n`).join("")}${indent}${end}`
}

const jsonText = (input: Json, indent: string) => JsonText.indented(input).replaceAll("\n", `\n${indent}`)

const isLarge = (input: Json) => JsonText.write(input).length > longestInput

const curl = ({ input, model, queueUrl }: SampleCall): string => {
  const body = isLarge(input) ? `--data-binary @${inputFile}` : `-d ${shellQuoted(JsonText.indented(input))}`
  return `curl -X POST ${shellQuoted(`${queueUrl}/${model}`)} \\
  -H "Authorization: Key $${keyVariable}" \\
  -H 'Content-Type: application/json' \\
  -H 'Prefer: wait' \\
  ${body}
`
}

const typescript = ({ input, model, queueUrl }: SampleCall): string => {
  const [first, value] = isLarge(input)
    ? [
        `import { readFileSync } from "node:fs"\n\n`,
        `JSON.parse(readFileSync(${JSON.stringify(inputFile)}, "utf8"))`
      ]
    : ["", jsonText(input, "")]
  return `${first}const headers = {
  authorization: \`Key \${process.env.${keyVariable}}\`,
  "content-type": "application/json",
  "idempotency-key": crypto.randomUUID()
}

const call = async (url: string, init: RequestInit = {}) => {
  const response = await fetch(url, { ...init, headers })
  const body = await response.json()
  if (!response.ok) throw new Error(JSON.stringify(body.error))
  return body
}

const input = ${value}

let request = await call(${JSON.stringify(`${queueUrl}/${model}`)}, { method: "POST", body: JSON.stringify(input) })
while (request.status === "IN_QUEUE" || request.status === "IN_PROGRESS") {
  request = await call(\`\${request.status_url}?wait=30\`)
}
const result = await call(request.response_url)
console.log(JSON.stringify(result.output, null, 2))
`
}

const python = ({ input, model, queueUrl }: SampleCall): string => {
  const value = isLarge(input) ? `json.load(open(${JSON.stringify(inputFile)}))` : pythonLiteral(input)
  return `import json
import os
import urllib.request
import uuid

headers = {
    "Authorization": "Key " + os.environ["${keyVariable}"],
    "Content-Type": "application/json",
    "Idempotency-Key": str(uuid.uuid4()),
}


def call(url, data=None):
    request = urllib.request.Request(url, data=data, headers=headers)
    with urllib.request.urlopen(request) as response:
        return json.load(response)


input = ${value}

request = call(${JSON.stringify(`${queueUrl}/${model}`)}, json.dumps(input).encode())
while request["status"] in ("IN_QUEUE", "IN_PROGRESS"):
    request = call(request["status_url"] + "?wait=30")
result = call(request["response_url"])
print(json.dumps(result["output"], indent=2))
`
}

export const of = (language: Language, call: SampleCall): string => {
  switch (language) {
    case "curl":
      return curl(call)
    case "typescript":
      return typescript(call)
    case "python":
      return python(call)
  }
}

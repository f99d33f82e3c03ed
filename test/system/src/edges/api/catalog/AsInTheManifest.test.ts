/** Definitions are shown as their manifests have them: the order of members and the digits of numbers, on every surface. */
import * as fs from "node:fs"
import * as path from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as InProcess from "#test/support/src/cli/InProcess.ts"
import * as ServerProcess from "#test/support/ServerProcess.ts"

const yaml = `
kind: model
name: acme/written
displayName: Written
category: text
provider: { adapter: http, url: "http://127.0.0.1:9/run" }
pricing: { unit: request, unitPrice: "0.001" }
inputSchema:
  type: object
  required: [zebra]
  properties:
    zebra: { type: string, title: Zebra, description: First }
    apple:
      type: integer
      minimum: 0
      maximum: 18446744073709551615
      default: 9007199254740993
    mango: { enum: [zulu, alpha, 1.10], description: Last }
outputSchema:
  type: object
  properties: { zebra: {}, apple: { const: 1.10 } }
exampleInput: { zebra: x, apple: 18446744073709551615, mango: 1.10 }
---
kind: wrapper
name: acme/wrapping
displayName: Wrapping
category: text
base: acme/written
inputSchema: { type: object, properties: { words: {}, about: {} } }
template: { zebra: "{{words}}", apple: 18446744073709551615 }
defaults: { words: x, about: 1.10 }
exampleInput: { words: x, about: 1e2 }
---
kind: gpu
name: l4
displayName: L4
manufacturer: NVIDIA
memoryGb: 24
pricePerHour: "0.8"
---
kind: deployment-template
name: worker
displayName: Worker
category: image
image: ghcr.io/acme/worker:1
gpus: [l4]
env: { ZONE: a, LEVEL: info }
---
kind: collection
name: picked
displayName: Picked
models: [acme/written, acme/json, acme/wrapping]
`

/** With the blanks of a file that people edit, which are not kept. */
const json = `{
  "kind": "model",
  "name": "acme/json",
  "displayName": "Json",
  "category": "text",
  "provider": { "adapter": "http", "url": "http://127.0.0.1:9/run" },
  "pricing": { "unit": "request", "unitPrice": "0.001" },
  "inputSchema": { "$file": "./input.json" },
  "outputSchema": {},
  "exampleInput": { "zebra": 1.10, "10": 1,  "2": 18446744073709551615, "apple": -0.0 }
}`
const inputFile =
  '{ "type": "object", "properties": { "zebra": { "default": 1.10 }, "10": {}, "2": {}, "apple": {} } }'

const input =
  '{"type":"object","required":["zebra"],"properties":{"zebra":{"type":"string","title":"Zebra","description":"First"},"apple":{"type":"integer","minimum":0,"maximum":18446744073709551615,"default":9007199254740993},"mango":{"enum":["zulu","alpha",1.10],"description":"Last"}}}'
const output = '{"type":"object","properties":{"zebra":{},"apple":{"const":1.10}}}'
const example = '{"zebra":"x","apple":18446744073709551615,"mango":1.10}'
const template = '{"zebra":"{{words}}","apple":18446744073709551615}'
const defaults = '{"words":"x","about":1.10}'

let directory: string
let server: ServerProcess.ServerProcess

beforeAll(async () => {
  directory = fs.mkdtempSync("/tmp/inferlog-written-")
  const models = path.join(directory, "models")
  fs.mkdirSync(models)
  fs.writeFileSync(path.join(models, "written.yaml"), yaml)
  fs.writeFileSync(path.join(models, "model.json"), json)
  fs.writeFileSync(path.join(models, "input.json"), inputFile)
  server = await ServerProcess.start({
    dataDirectory: path.join(directory, "data"),
    port: await ServerProcess.freePort(),
    env: { MODELS_DIR: models }
  })
}, 60_000)
afterAll(async () => {
  await server.kill("SIGTERM")
  fs.rmSync(directory, { recursive: true, force: true })
})

const get = async (route: string): Promise<string> => {
  const response = await fetch(server.url + route, { headers: ServerProcess.authorization })
  return response.text()
}

describe("A definition", () => {
  it("is shown by the API as its manifest has it", async () => {
    assert.include(await get("/models/acme/written"), `"exampleInput":${example}`)
    assert.include(await get("/models?search=written"), `"exampleInput":${example}`)
    assert.strictEqual(await get("/models/acme/written/schema"), `{"input":${input},"output":${output}}`)
    assert.include(await get("/wrappers"), `"template":${template},"defaults":${defaults}`)
    assert.include(await get("/models/acme/wrapping"), '"exampleInput":{"words":"x","about":1e2}')
    assert.include(await get("/search?query=wrapping"), `"template":${template}`)
  })

  it("of a JSON file keeps the place of names of digits", async () => {
    const shown = '{"zebra":1.10,"10":1,"2":18446744073709551615,"apple":-0.0}'
    assert.include(await get("/models/acme/json"), `"exampleInput":${shown}`)
    assert.include(
      await get("/models/acme/json/schema"),
      '"input":{"type":"object","properties":{"zebra":{"default":1.10},"10":{},"2":{},"apple":{}}}'
    )
  })

  it("is shown to Replicate's clients as its manifest has it", async () => {
    const schemas = `"schemas":{"Input":${input},"Output":${output}}`
    assert.include(await get("/compat/replicate/v1/models/acme/written"), schemas)
    assert.include(await get("/compat/replicate/v1/models/acme/written/versions"), schemas)
    assert.include(await get("/compat/replicate/v1/models"), schemas)
  })

  it("of a collection or a deployment template keeps its order", async () => {
    assert.match(await get("/collections/picked"), /acme\/written.*acme\/json.*acme\/wrapping/)
    assert.include(await get("/collections/picked"), `"exampleInput":${example}`)
    assert.include(await get("/deployment-templates"), '"env":{"ZONE":"a","LEVEL":"info"}')
  })

  it("gives generated types in its order", async () => {
    for (const lang of ["ts", "py"]) {
      const { stdout } = await InProcess.run(["codegen", "--url", server.url, "--lang", lang], {})
      assert.match(stdout, /zebra.*apple.*mango/s)
      assert.match(stdout, /zulu.*alpha/s)
    }
  })
})

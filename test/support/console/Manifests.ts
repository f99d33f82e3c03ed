/** Models of the world beside the built-in ones: one of workers, one whose machine is away, and one whose machine is reserved. */
import * as fs from "node:fs"
import * as path from "node:path"

export const upscale = "acme/upscale"
export const away = "acme/portrait"
export const reserved = "acme/voice"

const schemas = `
inputSchema:
  type: object
  additionalProperties: false
  required: [prompt]
  properties:
    prompt: { type: string, title: Prompt, description: What to show., minLength: 1, maxLength: 2000 }
    steps: { type: integer, title: Steps, minimum: 1, maximum: 50, default: 20 }
    style: { type: string, title: Style, enum: [photo, drawing, painting], default: photo }
    image: { type: string, title: Picture, format: uri, description: Begins with this picture. }
outputSchema:
  type: object
  required: [images]
  properties: { images: { type: array, items: { type: string } } }
exampleInput: { prompt: A lighthouse at dawn, steps: 20 }
`

/** @param url of a machine that answers 500. */
const manifests = (url: string) => ({
  "upscale.yaml": `
kind: model
name: ${upscale}
displayName: Upscale
description: Enlarges pictures on machines that fetch their jobs.
category: image
tags: [image]
timeoutSeconds: 86400
provider: { adapter: pull, options: { leaseSeconds: 600 } }
pricing: { unit: image, unitPrice: "0.004", quantity: "1" }
concurrency: 4
${schemas}`,
  // Nobody listens on port 1.
  "portrait.yaml": `
kind: model
name: ${away}
displayName: Portrait
description: Draws people. Its machine is away.
category: image
tags: [image]
provider: { adapter: http, name: studio-gpu, url: "http://127.0.0.1:1" }
pricing: { unit: image, unitPrice: "0.02", quantity: "1" }
concurrency: 2
${schemas}`,
  "voice.yaml": `
kind: model
name: ${reserved}
displayName: Voice
description: Reads texts aloud. Its machine is reserved.
category: audio
tags: [audio]
provider: { adapter: http, name: voice-gpu, url: "${url}" }
pricing: { unit: request, unitPrice: "0.01" }
${schemas}`
})

/** Writes them to a folder for `MODELS_DIR`. */
export const write = (folder: string, reservedUrl: string): string => {
  const models = path.join(folder, "models")
  fs.mkdirSync(models)
  for (const [name, text] of Object.entries(manifests(reservedUrl)))
    fs.writeFileSync(path.join(models, name), text)
  return models
}

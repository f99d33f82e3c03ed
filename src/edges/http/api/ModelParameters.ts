/** `/{ownerName}/{modelName}` in the document, with names of built-in models, so that the examples work at once. */
import { Schema } from "effect"

const named = (description: string, example: string) =>
  Schema.String.annotate({ description, examples: [example] })

export const ofModel = {
  ownerName: named("Owner of the model.", "sandbox"),
  modelName: named("Its name among the owner's.", "echo")
}

export const ofWrapper = {
  ownerName: named("Owner of the wrapper.", "sandbox"),
  modelName: named("Its name among the owner's.", "greeting")
}

/** `/{ownerName}/{modelName}` in the document, with names that are there at the first start: routes can be tried as they stand. */
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

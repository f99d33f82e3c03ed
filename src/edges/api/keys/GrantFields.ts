/** Fields of bodies that grant something to a key or token. */
import { Result, Schema } from "effect"
import { Origin } from "#domain/account/Origin.ts"
import { ModelEndpoint } from "#domain/ModelEndpoint.ts"
import * as Parsed from "#src/edges/http/requests/Parsed.ts"

/** The most models that a key or token may name. A client that wants more grants all of them. */
const mostModels = 20

/** The most origins that a key or token may name. */
const mostOrigins = 10

const someTexts = (most: number) =>
  Schema.Array(Schema.String).check(Schema.isMinLength(1), Schema.isMaxLength(most), Schema.isUnique())

export const models = someTexts(mostModels)

export const origins = someTexts(mostOrigins)

/** For the descriptions of fields. */
export const formOfOrigins =
  "Origins of web pages, such as `https://app.example`: scheme, host and a port that is not the default one"

const listOf =
  <Item extends string>(field: string, isItem: (text: string) => text is Item, message: string) =>
  (texts: ReadonlyArray<string>): Parsed.Parsed<ReadonlyArray<Item>> => {
    const malformed = texts.flatMap((text, index) =>
      isItem(text) ? [] : [Parsed.issue([field, index], "pattern", message)]
    )
    return malformed.length > 0 ? Parsed.invalid(...malformed) : Result.succeed(texts.filter(isItem))
  }

/** Checks the form alone: a model may be published later. */
export const parseModels = (field: string) => listOf(field, Schema.is(ModelEndpoint), "must be owner/model")

export const parseOrigins = listOf(
  "origins",
  Schema.is(Origin),
  "must be the origin of web pages, such as https://app.example, in lower case and without a path"
)

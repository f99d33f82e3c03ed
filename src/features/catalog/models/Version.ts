/** The version of a catalog item: 132 bits of the hash of the rest of its record. */
import * as crypto from "node:crypto"
import { Schema } from "effect"
import { type Json, stringify } from "#domain/CanonicalJson.ts"
import { Model } from "#domain/catalog/Model.ts"
import { Wrapper } from "#domain/catalog/Wrapper.ts"

const hash = (encoded: Json): string => crypto.hash("sha256", stringify(encoded), "base64url").slice(0, 22)

/** Of a definition of any kind, as in its event. */
export const fingerprint = (encoded: Json): string => hash(encoded)

const encodeModel = Schema.encodeSync(Model)
const encodeWrapper = Schema.encodeSync(Wrapper)

/** Ignores the current `version`. */
export const ofModel = (model: Model): string => hash(encodeModel({ ...model, version: "" }))

/** Ignores the current `version`. */
export const ofWrapper = (wrapper: Wrapper): string => hash(encodeWrapper({ ...wrapper, version: "" }))

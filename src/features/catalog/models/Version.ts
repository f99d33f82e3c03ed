/** The version of what the catalog holds: 132 bits of the hash of everything else in the record, so that no change goes unnoticed. */
import * as crypto from "node:crypto"
import { Schema } from "effect"
import { type Json, stringify } from "#domain/CanonicalJson.ts"
import { Model } from "#domain/catalog/Model.ts"
import { Wrapper } from "#domain/catalog/Wrapper.ts"

const hash = (encoded: Json): string => crypto.hash("sha256", stringify(encoded), "base64url").slice(0, 22)

/** Of a definition of any kind, as its event holds it. */
export const fingerprint = (encoded: Json): string => hash(encoded)

const encodeModel = Schema.encodeSync(Model)
const encodeWrapper = Schema.encodeSync(Wrapper)

/** Whatever `version` holds until now. */
export const ofModel = (model: Model): string => hash(encodeModel({ ...model, version: "" }))

/** Whatever `version` holds until now. */
export const ofWrapper = (wrapper: Wrapper): string => hash(encodeWrapper({ ...wrapper, version: "" }))

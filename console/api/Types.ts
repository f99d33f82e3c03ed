/** The types of calls, as the server declares them. */
import type { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import type { operations } from "#src/edges/admin/Administration.ts"
import type { Api } from "#src/edges/server/Api.ts"
import type { Schema } from "effect"

type GroupsOf<A> = A extends HttpApi.HttpApi<string, infer Groups> ? Groups : never
type Endpoints = HttpApiGroup.Endpoints<GroupsOf<typeof Api>>

/** By name. A map is much quicker for the compiler than a search in the union for each use. */
type ByName = { readonly [E in Endpoints as E["identifier"]]: E }

/** The name of an operation of the public API. */
export type Name = keyof ByName
type Endpoint<N extends Name> = ByName[N]

type Encoded<S> = S extends { readonly Encoded: infer E } ? E : never
/** The form that a schema declares, below the codec of the wire, whose own encoded form is any JSON, and below headers. */
type Declared<S> =
  S extends HttpApiSchema.WithHeaders<infer Body, Schema.Top>
    ? Declared<Body>
    : S extends { readonly schema: infer Inner; readonly Encoded: Schema.Json | Schema.StringTree }
      ? Encoded<Inner>
      : Encoded<S>
/** What a member of a union with `undefined` leaves out. */
type Whole<T> = [T] extends [never] ? undefined : T

/** JSON of the answer. */
export type AnswerOf<N extends Name> = Exclude<Declared<HttpApiEndpoint.Success<Endpoint<N>>>, void>
export type QueryOf<N extends Name> = Whole<Declared<HttpApiEndpoint.Query<Endpoint<N>>>>
export type ParamsOf<N extends Name> = Whole<Declared<HttpApiEndpoint.Params<Endpoint<N>>>>
/** JSON of the body. */
export type PayloadOfCall<N extends Name> = Whole<Declared<HttpApiEndpoint.Payload<Endpoint<N>>>>

type Operations = (typeof operations)[number]
/** The name of an operation of administration. */
export type AdminName = Operations["name"]
type AdminOperation<N extends AdminName> = Extract<Operations, { readonly name: N }>

/** JSON of the answer of an operation of administration. */
export type AdminAnswer<N extends AdminName> = Encoded<AdminOperation<N>["success"]>
type EncodedFields<F> = F extends Schema.Struct.Fields ? Schema.Struct<F>["Encoded"] : never
export type AdminPayload<N extends AdminName> = EncodedFields<AdminOperation<N>["payload"]>

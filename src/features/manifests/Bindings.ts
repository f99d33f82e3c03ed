/** Checks the providers of a model's manifest beyond their fields. */
import { Config, Effect, Result, Schema } from "effect"
import type { Model } from "#domain/catalog/Model.ts"
import type { ProviderBinding } from "#domain/catalog/ProviderBinding.ts"
import type { AdapterOptions } from "#src/features/providers/AdapterOptions.ts"
import { bindingOptions } from "#src/features/providers/BindingOptions.ts"
import { type Breach, breachesOf } from "./Manifest.ts"
import type { Path } from "./Diagnostic.ts"
import { NetAddress } from "effect/net"
import { isPublic } from "#src/kernel/outbound/AddressPolicy.ts"

/** Names for private networks (RFC 6761, RFC 6762, RFC 8375), and those of Kubernetes. */
const privateNames = /(^|\.)(localhost|local|internal|home\.arpa|lan|test|svc|cluster\.local)$/

/** Whether a valid URL leads to the public internet, judged by its text; names are not resolved. */
const isPublicHost = (url: string): boolean => {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, "")
  const address = NetAddress.ipFromString(host)
  if (Result.isSuccess(address)) return isPublic(address.success)
  return host.includes(".") && !privateNames.test(host)
}

interface BindingProblems {
  readonly errors: ReadonlyArray<Breach>
  readonly warnings: ReadonlyArray<Breach>
}

const presence = (
  field: "url" | "secretEnv",
  binding: ProviderBinding,
  { [field]: wanted }: AdapterOptions
): ReadonlyArray<Breach> => {
  const isThere = binding[field] !== undefined
  if (wanted === "required" && !isThere) {
    return [{ path: [field], message: `Missing: the adapter ${binding.adapter} wants it` }]
  }
  return wanted === "none" && isThere
    ? [{ path: [field], message: `Expected nothing: the adapter ${binding.adapter} has no use for it` }]
    : []
}

const decoders = new Map(
  Object.entries(bindingOptions).map(([adapter, { options }]) => [
    adapter,
    Schema.decodeUnknownResult(options, { errors: "all", onExcessProperty: "error" })
  ])
)

const optionBreaches = ({ adapter, options = {} }: ProviderBinding): ReadonlyArray<Breach> => {
  const decoded = decoders.get(adapter)?.(options)
  return decoded === undefined || Result.isSuccess(decoded)
    ? []
    : breachesOf(decoded.failure.issue).map(({ message, path }) => ({ path: ["options", ...path], message }))
}

/** An empty variable counts as not set. */
const isSet = (variable: string): Effect.Effect<boolean> =>
  Config.Redacted(variable).pipe(
    Effect.as(true),
    Effect.orElseSucceed(() => false)
  )

const doubts = Effect.fnUntraced(function* ({ secretEnv, url }: ProviderBinding) {
  if (secretEnv === undefined) return []
  const found: Array<Breach> = []
  if (!(yield* isSet(secretEnv))) {
    found.push({ path: ["secretEnv"], message: `${secretEnv} is not set in this environment` })
  }
  if (url !== undefined && url.startsWith("http:") && isPublicHost(url)) {
    found.push({ path: ["url"], message: "The secret goes over the internet unencrypted: https is meant?" })
  }
  return found
})

/** @param at the place of the binding in the manifest. */
export const check = Effect.fnUntraced(function* ({ providers }: Model, at: (index: number) => Path) {
  const errors: Array<Breach> = []
  const warnings: Array<Breach> = []
  const names = new Set<string>()
  for (const [index, binding] of providers.entries()) {
    const wanted = bindingOptions[binding.adapter]
    const placed = ({ message, path }: Breach): Breach => ({ path: [...at(index), ...path], message })
    if (names.has(binding.name)) {
      const message = `Expected another name: a provider before it is ${binding.name}, too`
      errors.push(placed({ path: ["name"], message }))
    }
    names.add(binding.name)
    const breaches = [
      ...presence("url", binding, wanted),
      ...presence("secretEnv", binding, wanted),
      ...optionBreaches(binding)
    ]
    errors.push(...breaches.map(placed))
    warnings.push(...(yield* doubts(binding)).map(placed))
  }
  return { errors, warnings } satisfies BindingProblems
})

/** Why requests for a model wait when no provider can take them, as this node sees it. */
import { Context } from "effect"
import type { Phase } from "#domain/inference-request/State.ts"
import type { ConnectionError } from "#domain/Outcome.ts"

/**
 * `provider_down`: no connection is possible. `worker`: no worker asks for jobs of the model. `credentials`: this process
 * has no credential for the provider.
 */
export const causes = ["provider_down", "worker", "credentials"] as const
type Cause = (typeof causes)[number]

export interface Wait {
  readonly cause: Cause
  /** A sentence for clients, without addresses. */
  readonly reason: string
}

const faults: Readonly<Record<ConnectionError, string>> = {
  connection_refused: "The provider refuses connections.",
  connect_timeout: "The provider does not answer when it is connected to.",
  dns_error: "The provider's name cannot be resolved.",
  tls_error: "A secure connection to the provider cannot be made."
}

export const providerDown = (fault: ConnectionError): Wait => ({
  cause: "provider_down",
  reason: faults[fault]
})

export const worker: Wait = { cause: "worker", reason: "No worker asks for jobs of the model." }

export const credentials: Wait = {
  cause: "credentials",
  reason: "The provider's credential is not configured."
}

/** By endpoint of the model or wrapper; `null` if one of its providers takes requests. At most a second old. */
export const WaitingFor = Context.Reference<(endpoint: string) => Wait | null>(
  "inferlog/src/features/provider-health/WaitingFor",
  { defaultValue: () => () => null }
)

/** For a request; one with a run waits for nothing. */
export const ofRequest = (
  waitingFor: typeof WaitingFor.Service,
  {
    phase,
    submitted
  }: { readonly phase: Pick<Phase, "_tag">; readonly submitted: { readonly model: string } }
): Wait | null => (phase._tag === "Queued" ? waitingFor(submitted.model) : null)

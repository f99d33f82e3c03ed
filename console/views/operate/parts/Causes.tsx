/** Causes for which a queue waits, in words: what it is, and what to do. */
import { Link } from "@tanstack/react-router"
import type { ReactNode } from "react"
import type { BadgeKind } from "#console/design/feedback/Badge.tsx"
import type { Reason } from "./Live.ts"

type Cause = Reason["cause"]

interface Words {
  readonly label: string
  readonly kind: BadgeKind
  /** What holds the queue up. */
  readonly what: (reason: Reason) => string
  /** What ends it. */
  readonly remedy: string
}

const provider = ({ provider }: Reason) => provider ?? "The provider"

export const words: Readonly<Record<Cause, Words>> = {
  model_unknown: {
    label: "Model unknown",
    kind: "alarm",
    what: () => "The node that answers knows no definition of the model, so it cannot run its requests.",
    remedy: "Publish the model again, or cancel the requests."
  },
  no_node: {
    label: "No node",
    kind: "alarm",
    what: () => "No node is ready to run requests.",
    remedy: "Start a node. If one is starting, its log says what it waits for."
  },
  node_unwell: {
    label: "Node unwell",
    kind: "alarm",
    what: () => "The work queue of every node stands still: requests are accepted, but not run.",
    remedy: "See the nodes for the reason. A read model that has stopped is rebuilt under Read models."
  },
  credential_missing: {
    label: "Credential missing",
    kind: "alarm",
    what: (reason) => `${provider(reason)} has no credential on any node.`,
    remedy: "Set the environment variable that its definition names, and restart the nodes."
  },
  provider_unreachable: {
    label: "Unreachable",
    kind: "alarm",
    what: (reason) => `No connection to ${provider(reason)} can be made.`,
    remedy:
      "Check its machine and address. A connection is tried every few seconds, and runs begin by themselves."
  },
  circuit_open: {
    label: "Circuit open",
    kind: "alarm",
    what: (reason) => `${provider(reason)} failed too often: no run begins there for a while.`,
    remedy: "Repair the provider. It is tried again by itself; reset it to try at once."
  },
  circuit_trial: {
    label: "Trial run",
    kind: "warning",
    what: (reason) => `${provider(reason)} failed, and one run tries whether it is well again.`,
    remedy: "Wait for the trial, or reset the provider if you know that it is well."
  },
  provider_paused: {
    label: "Paused",
    kind: "warning",
    what: (reason) => `${provider(reason)} asked for a pause (429).`,
    remedy: "Wait for its end, or reset the provider if its limit was raised."
  },
  no_worker: {
    label: "No worker",
    kind: "alarm",
    what: () => "No worker asks for jobs of the model.",
    remedy: "Start a worker with a key for the model."
  },
  workers_busy: {
    label: "Workers busy",
    kind: "info",
    what: () => "All workers of the model have a job.",
    remedy: "Start more workers, or wait."
  },
  provider_limit: {
    label: "Provider full",
    kind: "info",
    what: (reason) =>
      `${provider(reason)} has as many runs as it may have (${reason.detail ?? "its limit"}).`,
    remedy: "Raise the concurrency of the provider in its definitions, or wait."
  },
  model_limit: {
    label: "Model full",
    kind: "info",
    what: (reason) => `The model has as many runs as it may have (${reason.detail ?? "its limit"}).`,
    remedy: "Raise the concurrency of the model in its definition, or wait."
  },
  retry_later: {
    label: "Retry later",
    kind: "neutral",
    what: () => "The requests have failed before, and wait for their next try.",
    remedy: "Look at the requests for their errors."
  },
  unexplained: {
    label: "Not explained",
    kind: "warning",
    what: () => "A request is due, and nothing known holds it up. Its account may use all memory for inputs.",
    remedy: "Look at the server log."
  }
}

/** Where the cause is seen and ended. */
export const CauseLink = ({
  cause,
  models,
  provider
}: Pick<Reason, "cause" | "provider"> & { readonly models: ReadonlyArray<string> }): ReactNode => {
  const [model = ""] = models
  switch (cause) {
    case "no_node":
    case "node_unwell":
      return <Link to="/operate/nodes">See the nodes</Link>
    case "no_worker":
    case "workers_busy":
      return <Link to="/operate/workers">See the workers</Link>
    case "model_limit":
      return (
        <Link to="/operate/models" search={{ q: model }}>
          See the model
        </Link>
      )
    case "model_unknown":
    case "retry_later":
      return (
        <Link to="/operate/requests" search={{ model, status: "IN_QUEUE" }}>
          See the requests
        </Link>
      )
    case "unexplained":
      return <Link to="/operate/log">See the server log</Link>
    case "credential_missing":
    case "provider_unreachable":
    case "circuit_open":
    case "circuit_trial":
    case "provider_paused":
    case "provider_limit":
      return (
        <Link to="/operate/providers" search={provider === null ? {} : { q: provider }}>
          See the provider
        </Link>
      )
  }
}

/** Whether a reset of the provider may help. */
export const isReset = (cause: Cause): boolean =>
  cause === "circuit_open" ||
  cause === "circuit_trial" ||
  cause === "provider_paused" ||
  cause === "provider_unreachable"

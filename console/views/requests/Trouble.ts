/** Why a request has no output, in words, and what to do. */
import type { AnswerOf } from "#console/api/Types.ts"

type Retrieved = AnswerOf<"getRequest">

export interface Trouble {
  readonly kind: "alarm" | "warning"
  readonly title: string
  /** The server's message; `null` if it has none. */
  readonly message: string | null
  /** What the provider's error has besides its message, in a sentence; `null` without it. */
  readonly provider: string | null
  readonly advice: string
}

type Told = Pick<Retrieved, "error" | "outcome"> &
  Pick<Partial<Retrieved>, "details" | "waitingFor" | "waitingReason">

const waits: Readonly<Record<string, string>> = {
  worker: "Start a worker for the model, or ask the operator to. The request starts by itself then.",
  provider_down:
    "The request starts by itself when the provider can be reached again. Cancel it if you cannot wait.",
  credentials: "The operator has to set the provider's credential. The request starts by itself then."
}

const providerOf = (details: Told["details"]): string | null => {
  const { code, param, status, type } = details?.upstream ?? {}
  const parts = [
    ...(status === undefined ? [] : [`status ${status}`]),
    ...(code === undefined ? [] : [`code ${code}`]),
    ...(param === undefined ? [] : [`parameter ${param}`]),
    ...(type === undefined ? [] : [`type ${type}`])
  ]
  return parts.length === 0 ? null : `The provider answered with ${parts.join(", ")}.`
}

/** `null`: all is well. */
export const of = (request: Told): Trouble | null => {
  const trouble = reasonOf(request)
  return trouble === null ? null : { ...trouble, provider: providerOf(request.details) }
}

const reasonOf = ({ error, outcome, waitingFor, waitingReason }: Told): Omit<Trouble, "provider"> | null => {
  switch (outcome) {
    case "pending":
      return waitingFor === undefined
        ? null
        : {
            kind: "warning",
            title: "No run can begin now",
            message: waitingReason ?? null,
            advice: waits[waitingFor] ?? "The request starts by itself when one can."
          }
    case "invalid_output":
      return {
        kind: "alarm",
        title: "The output does not match the model's schema",
        message: error,
        advice:
          "Nothing was charged. The timeline names the places. Run it again, or tell whoever provides the model."
      }
    case "provider_failed":
      return {
        kind: "alarm",
        title: "The run failed",
        message: error,
        advice:
          "Nothing was charged. Check the input and the logs. Run it again if the message names something passing."
      }
    case "failed":
      return {
        kind: "alarm",
        title: "The request could not be run",
        message: error,
        advice:
          "Nothing was charged. The timeline shows each try. Run it again, or ask the operator if it stays so."
      }
    case "expired":
      return {
        kind: "warning",
        title: "Its time was up",
        message: null,
        advice:
          "It had not ended by its deadline. Nothing was charged. Run it again with a later deadline, or none."
      }
    case "cancelled":
      return {
        kind: "warning",
        title: "Cancelled",
        message: null,
        advice: "Nothing was charged. Run it again if you need it."
      }
    case "partial":
      return {
        kind: "warning",
        title: "Only a part was delivered",
        message: null,
        advice:
          "The output is what the run had made when it ended or was cancelled. Only that was charged. Run it again for all of it."
      }
    case "succeeded":
      return null
  }
}

/** What a Cog server reports about a prediction and itself (https://cog.run/http, "Webhooks", "GET /health-check"). */
import { Option, Schema } from "effect"
import { isList, type Json } from "#domain/CanonicalJson.ts"
import * as JsonText from "#domain/JsonText.ts"
import * as JobReport from "../JobReport.ts"
import { fractionOf, linesOf } from "../LogText.ts"
import * as ErrorOutcomes from "../ErrorOutcomes.ts"
import * as ReportedOutput from "../ReportedOutput.ts"
import * as Seconds from "../Seconds.ts"

const Prediction = Schema.Struct({
  id: Schema.optionalKey(Schema.NullOr(Schema.String)),
  status: Schema.Literals(["starting", "processing", "succeeded", "failed", "canceled"]),
  output: Schema.optionalKey(Schema.Json),
  error: Schema.optionalKey(Schema.NullOr(Schema.String)),
  logs: Schema.optionalKey(Schema.NullOr(Schema.String)),
  metrics: Schema.optionalKey(Schema.Json)
})
const decodePrediction = Schema.decodeUnknownOption(Prediction)

/** `null` if it is not a prediction, or a different one. */
export const read = (json: Json | undefined, id: string): JobReport.JobReport | null =>
  Option.match(decodePrediction(json), {
    onNone: () => null,
    onSome: (prediction) => {
      const { error, metrics, status } = prediction
      if (prediction.id !== undefined && prediction.id !== null && prediction.id !== id) return null
      const logs = prediction.logs ?? ""
      const lines = (isOver: boolean) => linesOf(logs, isOver)
      switch (status) {
        case "starting":
          return JobReport.waiting
        case "processing":
          return { _tag: "Running", fraction: fractionOf(logs), logs: lines(false) }
        case "succeeded":
          return JobReport.ended(
            {
              _tag: "Succeeded",
              ...ReportedOutput.of(json),
              delivered: null,
              ...Seconds.measured(metrics, "predict_time")
            },
            lines(true)
          )
        case "failed":
          return JobReport.ended(ErrorOutcomes.modelFailed(error ?? null), lines(true))
        case "canceled":
          return JobReport.ended({ _tag: "Stopped" }, lines(true))
      }
    }
  })

/** The parts of the output so far, of a model that yields several. */
export const partsIn = (json: Json | undefined, id: string): ReadonlyArray<JsonText.Spelled> =>
  Option.match(decodePrediction(json), {
    onNone: () => [],
    onSome: (prediction) =>
      prediction.status === "processing" && prediction.id === id && isList(prediction.output)
        ? JsonText.entries(JsonText.member(json, "output") as ReadonlyArray<Json>)
        : []
  })

const Health = Schema.Struct({
  status: Schema.Literals(["UNKNOWN", "STARTING", "READY", "BUSY", "SETUP_FAILED", "DEFUNCT", "UNHEALTHY"])
})
const decodeHealth = Schema.decodeUnknownOption(Health)

/** `null` if it is malformed. */
export const readHealth = (json: Json | undefined): (typeof Health.Type)["status"] | null =>
  Option.match(decodeHealth(json), { onNone: () => null, onSome: ({ status }) => status })

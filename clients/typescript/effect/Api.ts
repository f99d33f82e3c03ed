/** The public API, without what is for browsers and for other protocols. Written by `npm run docs` from the server's declarations. */
import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import * as Errors from "./Errors.ts"
import * as Events from "./Events.ts"
import * as Schemas from "./Schemas.ts"

export class QueueGroup extends HttpApiGroup.make("queue").add(
  HttpApiEndpoint.post("submitRequest", "/:ownerName/:modelName", {
    params: { ownerName: Schema.String, modelName: Schema.String },
    query: {
      /** As `Prefer: wait=<seconds>`, 1 to 60. */
      wait: Schema.optionalKey(Schema.String)
    },
    headers: {
      /** 1 to 255 printable ASCII characters, valid for 24 hours. */
      "idempotency-key": Schema.optionalKey(Schema.String),
      /** A JSON object of at most 16 strings, at most 2 KiB. */
      "x-request-metadata": Schema.optionalKey(Schema.String),
      /**
       * Whole seconds, at most 30 days. A request that has not started by then is `CANCELLED`, `outcome:
       * expired`, not billed.
       */
      "x-request-start-timeout": Schema.optionalKey(Schema.String),
      /**
       * Seconds, or `90s`, `5m`, `1h`, at most 30 days. The same for a request that has not ended by then,
       * even if it runs.
       */
      "cancel-after": Schema.optionalKey(Schema.String),
      /** `wait` or `wait=<1..60>`: answers with the result if the request ends in time. */
      prefer: Schema.optionalKey(Schema.String)
    },
    payload: Schemas.SubmitBody,
    success: Schema.Union([Schemas.CreatedRequest, Schemas.RetrievedRequest]),
    error: [Errors.answers[400], Errors.answers[401], Errors.answers[402], Errors.answers[403], Errors.answers[404], Errors.answers[408], Errors.answers[409], Errors.answers[413], Errors.answers[415], Errors.answers[429], Errors.answers[500], Errors.answers[503]]
  }),
  HttpApiEndpoint.get("getRequestStatus", "/:ownerName/:modelName/requests/:requestId/status", {
    params: { ownerName: Schema.String, modelName: Schema.String, requestId: Schema.String },
    query: {
      /** Holds the answer until the status changes, for at most this many seconds, 0 to 60. */
      wait: Schema.optionalKey(Schema.String)
    },
    success: Schemas.RequestStatus,
    error: [Errors.outcomes.FailedRequestStatus, Errors.answers[400], Errors.answers[401], Errors.answers[403], Errors.answers[404], Errors.answers[429], Errors.answers[500], Errors.answers[503]]
  }),
  HttpApiEndpoint.get("getRequestResult", "/:ownerName/:modelName/requests/:requestId", {
    params: { ownerName: Schema.String, modelName: Schema.String, requestId: Schema.String },
    success: Schemas.Result,
    error: [Errors.answers[400], Errors.answers[401], Errors.answers[403], Errors.answers[404], Errors.answers[410], Errors.outcomes.ResultWithoutOutput, Errors.answers[429], Errors.answers[500], Errors.answers[503]]
  }),
  HttpApiEndpoint.get("cancelRequest", "/:ownerName/:modelName/requests/:requestId/cancel", {
    params: { ownerName: Schema.String, modelName: Schema.String, requestId: Schema.String },
    success: Schemas.CancelledRequestStatus,
    error: [Errors.answers[400], Errors.answers[401], Errors.answers[403], Errors.answers[404], Errors.answers[405], Errors.answers[429], Errors.answers[500], Errors.answers[503]]
  }),
  HttpApiEndpoint.put("cancelRequestByPut", "/:ownerName/:modelName/requests/:requestId/cancel", {
    params: { ownerName: Schema.String, modelName: Schema.String, requestId: Schema.String },
    success: Schemas.CancelledRequestStatus,
    error: [Errors.answers[400], Errors.answers[401], Errors.answers[403], Errors.answers[404], Errors.answers[429], Errors.answers[500], Errors.answers[503]]
  }),
  HttpApiEndpoint.post("cancelRequestByPost", "/:ownerName/:modelName/requests/:requestId/cancel", {
    params: { ownerName: Schema.String, modelName: Schema.String, requestId: Schema.String },
    success: Schemas.CancelledRequestStatus,
    error: [Errors.answers[400], Errors.answers[401], Errors.answers[403], Errors.answers[404], Errors.answers[429], Errors.answers[500], Errors.answers[503]]
  }),
  HttpApiEndpoint.get("getRequest", "/requests/:requestId", {
    params: { requestId: Schema.String },
    success: Schemas.RetrievedRequest,
    error: [Errors.answers[400], Errors.answers[401], Errors.answers[403], Errors.answers[404], Errors.answers[429], Errors.answers[500], Errors.answers[503]]
  }),
  HttpApiEndpoint.delete("eraseRequestPayloads", "/requests/:requestId/payloads", {
    params: { requestId: Schema.String },
    success: HttpApiSchema.NoContent,
    error: [Errors.answers[400], Errors.answers[401], Errors.answers[403], Errors.answers[404], Errors.answers[409], Errors.answers[429], Errors.answers[500], Errors.answers[503]]
  })
) {}

export class HistoryGroup extends HttpApiGroup.make("history").add(
  HttpApiEndpoint.get("listRequests", "/requests", {
    query: Schema.StructWithRest(Schema.Struct({
      /** Only this status. */
      status: Schema.optionalKey(Schemas.Status),
      /** Only this model, `{owner}/{model}`. */
      modelEndpoint: Schema.optionalKey(Schema.String),
      /** Only requests accepted after this time: a date-time with its offset, or a date (midnight UTC). */
      createdAfter: Schema.optionalKey(Schema.String),
      /** Only requests accepted before this time. */
      createdBefore: Schema.optionalKey(Schema.String),
      /** Adds to each request: payloads, billing, comma-separated. */
      expand: Schema.optionalKey(Schema.Union([Schema.String, Schema.Array(Schema.String)])),
      /** From 1. At least 1. Default: 1. */
      page: Schema.optionalKey(Schema.Int),
      /** Of one page. 1 to 100. Default: 20. */
      limit: Schema.optionalKey(Schema.Int),
      /** `next` of the page before; in the place of `page`. */
      cursor: Schema.optionalKey(Schema.String)
    }), [Schema.Record(Schema.TemplateLiteral(["metadata.", Schema.String]), Schema.String)]),
    success: Schemas.Requests,
    error: [Errors.answers[400], Errors.answers[401], Errors.answers[403], Errors.answers[429], Errors.answers[500], Errors.answers[503]]
  })
) {}

export class TimelineGroup extends HttpApiGroup.make("timeline").add(
  HttpApiEndpoint.get("listRequestEvents", "/requests/:requestId/events", {
    params: { requestId: Schema.String },
    query: {
      /** Only events of this type. */
      type: Schema.optionalKey(Schemas.TimelineEventType),
      /** Adds to each event: hashes, states, comma-separated. */
      expand: Schema.optionalKey(Schema.Union([Schema.String, Schema.Array(Schema.String)])),
      /** From 1. At least 1. Default: 1. */
      page: Schema.optionalKey(Schema.Int),
      /** Of one page. 1 to 100. Default: 20. */
      limit: Schema.optionalKey(Schema.Int),
      /** `next` of the page before; in the place of `page`. */
      cursor: Schema.optionalKey(Schema.String)
    },
    success: Schemas.Timeline,
    error: [Errors.answers[400], Errors.answers[401], Errors.answers[403], Errors.answers[404], Errors.answers[429], Errors.answers[500], Errors.answers[503]]
  })
) {}

export class StreamsGroup extends HttpApiGroup.make("streams").add(
  HttpApiEndpoint.get("streamRequests", "/requests/stream", {
    query: {
      /**
       * Only this request; repeated: only these. The stream ends when all of them have ended. At most 100
       * items.
       */
      request_id: Schema.optionalKey(Schema.Array(Schema.String)),
      /** Only requests for this model. */
      modelEndpoint: Schema.optionalKey(Schema.String),
      /** `1`: the event that ends a request has its log lines. */
      logs: Schema.optionalKey(Schema.Literals(["0", "1"])),
      /** As the header `Last-Event-ID`, which wins over it. */
      last_event_id: Schema.optionalKey(Schema.String)
    },
    headers: {
      /** Resumes after the event with this id. No event is missed or sent twice. */
      "last-event-id": Schema.optionalKey(Schema.String)
    },
    success: [Events.streamRequests, HttpApiSchema.NoContent],
    error: [Errors.answers[400], Errors.answers[401], Errors.answers[403], Errors.answers[404], Errors.answers[405], Errors.answers[429], Errors.answers[500], Errors.answers[503]]
  }),
  HttpApiEndpoint.get("streamRequestStatus", "/:ownerName/:modelName/requests/:requestId/status/stream", {
    params: { ownerName: Schema.String, modelName: Schema.String, requestId: Schema.String },
    success: Events.streamRequestStatus,
    error: [Errors.answers[400], Errors.answers[401], Errors.answers[403], Errors.answers[404], Errors.answers[405], Errors.answers[429], Errors.answers[500], Errors.answers[503]]
  }),
  HttpApiEndpoint.get("streamRequestOutput", "/:ownerName/:modelName/requests/:requestId/output/stream", {
    params: { ownerName: Schema.String, modelName: Schema.String, requestId: Schema.String },
    query: {
      /** As the header `Last-Event-ID`, which wins over it. */
      last_event_id: Schema.optionalKey(Schema.String)
    },
    headers: {
      /** Resumes after the chunk with this id. */
      "last-event-id": Schema.optionalKey(Schema.String)
    },
    success: Events.streamRequestOutput,
    error: [Errors.answers[400], Errors.answers[401], Errors.answers[403], Errors.answers[404], Errors.answers[405], Errors.answers[429], Errors.answers[500], Errors.answers[503]]
  })
) {}

export class WebhooksGroup extends HttpApiGroup.make("webhooks").add(
  HttpApiEndpoint.get("listDeliveries", "/webhooks/deliveries", {
    query: {
      /** Only this request. */
      requestId: Schema.optionalKey(Schema.String),
      /** Only this status. */
      status: Schema.optionalKey(Schemas.DeliveryStatus),
      /** Only this event. */
      event: Schema.optionalKey(Schemas.WebhookEventName),
      /** From 1. At least 1. Default: 1. */
      page: Schema.optionalKey(Schema.Int),
      /** Of one page. 1 to 100. Default: 10. */
      limit: Schema.optionalKey(Schema.Int),
      /** `next` of the page before; in the place of `page`. */
      cursor: Schema.optionalKey(Schema.String)
    },
    success: Schemas.Deliveries,
    error: [Errors.answers[400], Errors.answers[401], Errors.answers[403], Errors.answers[429], Errors.answers[500], Errors.answers[503]]
  }),
  HttpApiEndpoint.get("getDelivery", "/webhooks/deliveries/:deliveryId", {
    params: { deliveryId: Schema.String },
    success: Schemas.DetailedDelivery,
    error: [Errors.answers[400], Errors.answers[401], Errors.answers[403], Errors.answers[404], Errors.answers[429], Errors.answers[500], Errors.answers[503]]
  }),
  HttpApiEndpoint.get("getDeliveryAttempt", "/webhooks/deliveries/:deliveryId/attempts/:attempt", {
    params: { deliveryId: Schema.String, attempt: Schema.String },
    success: Schemas.DetailedAttempt,
    error: [Errors.answers[400], Errors.answers[401], Errors.answers[403], Errors.answers[404], Errors.answers[429], Errors.answers[500], Errors.answers[503]]
  }),
  HttpApiEndpoint.post("replayDelivery", "/webhooks/deliveries/:deliveryId/replay", {
    params: { deliveryId: Schema.String },
    success: Schemas.Delivery.pipe(HttpApiSchema.status(202)),
    error: [Errors.answers[400], Errors.answers[401], Errors.answers[403], Errors.answers[404], Errors.answers[409], Errors.answers[410], Errors.answers[429], Errors.answers[500], Errors.answers[503]]
  }),
  HttpApiEndpoint.post("recoverDeliveries", "/webhooks/deliveries/recover", {
    payload: Schemas.RecoverBody,
    success: [Schemas.RecoveryPreview, Schemas.Recovery.pipe(HttpApiSchema.status(202))],
    error: [Errors.answers[400], Errors.answers[401], Errors.answers[403], Errors.answers[408], Errors.answers[413], Errors.answers[415], Errors.answers[429], Errors.answers[500], Errors.answers[503]]
  }),
  HttpApiEndpoint.get("getSigningSecret", "/webhooks/default/secret", {
    success: Schemas.SigningSecret,
    error: [Errors.answers[400], Errors.answers[401], Errors.answers[403], Errors.answers[429], Errors.answers[500], Errors.answers[503]]
  }),
  HttpApiEndpoint.post("rotateSigningSecret", "/webhooks/default/secret/rotate", {
    payload: Schemas.RotateSigningSecret,
    success: Schemas.RotatedSigningSecret,
    error: [Errors.answers[400], Errors.answers[401], Errors.answers[403], Errors.answers[408], Errors.answers[413], Errors.answers[415], Errors.answers[429], Errors.answers[500], Errors.answers[503]]
  }),
  HttpApiEndpoint.post("testWebhook", "/webhooks/test", {
    payload: Schemas.TestWebhook,
    success: Schemas.WebhookTest,
    error: [Errors.answers[400], Errors.answers[401], Errors.answers[403], Errors.answers[408], Errors.answers[413], Errors.answers[415], Errors.answers[429], Errors.answers[500], Errors.answers[503]]
  })
) {}

export class UploadsGroup extends HttpApiGroup.make("uploads").add(
  HttpApiEndpoint.post("initiateUpload", "/storage/upload/initiate", {
    payload: Schemas.UploadBody,
    success: Schemas.Upload,
    error: [Errors.answers[400], Errors.answers[401], Errors.answers[403], Errors.answers[408], Errors.answers[413], Errors.answers[415], Errors.answers[429], Errors.answers[500], Errors.answers[503], Errors.answers[507]]
  }),
  HttpApiEndpoint.post("initiateMultipartUpload", "/storage/upload/initiate-multipart", {
    payload: Schemas.UploadBody,
    success: Schemas.MultipartUpload,
    error: [Errors.answers[400], Errors.answers[401], Errors.answers[403], Errors.answers[408], Errors.answers[413], Errors.answers[415], Errors.answers[429], Errors.answers[500], Errors.answers[503], Errors.answers[507]]
  }),
  HttpApiEndpoint.get("getPartUrl", "/storage/upload/multipart-url", {
    query: {
      /** The `uploadKey` that the upload began with. 1 to 2048 characters. */
      uploadKey: Schema.String,
      /** The `uploadId` that the upload began with. 1 to 2048 characters. */
      uploadId: Schema.String,
      /** From 1, without gaps. 1 to 10000. */
      partNumber: Schema.Int
    },
    success: Schemas.PartUrl,
    error: [Errors.answers[400], Errors.answers[401], Errors.answers[403], Errors.answers[404], Errors.answers[409], Errors.answers[410], Errors.answers[429], Errors.answers[500], Errors.answers[503], Errors.answers[507]]
  }),
  HttpApiEndpoint.get("listParts", "/storage/upload/parts", {
    query: {
      /** The `uploadKey` that the upload began with. 1 to 2048 characters. */
      uploadKey: Schema.String,
      /** The `uploadId` that the upload began with. 1 to 2048 characters. */
      uploadId: Schema.String
    },
    success: Schemas.UploadInParts,
    error: [Errors.answers[400], Errors.answers[401], Errors.answers[403], Errors.answers[404], Errors.answers[409], Errors.answers[410], Errors.answers[429], Errors.answers[500], Errors.answers[503], Errors.answers[507]]
  }),
  HttpApiEndpoint.post("completeUpload", "/storage/upload/complete", {
    payload: Schemas.CompleteBody,
    success: Schemas.CompletedUpload,
    error: [Errors.answers[400], Errors.answers[401], Errors.answers[403], Errors.answers[404], Errors.answers[408], Errors.answers[409], Errors.answers[410], Errors.answers[413], Errors.answers[415], Errors.answers[429], Errors.answers[500], Errors.answers[503], Errors.answers[507]]
  })
) {}

export class FilesGroup extends HttpApiGroup.make("files").add(
  HttpApiEndpoint.get("listFiles", "/files", {
    query: {
      /** Only files uploaded by a client, or only outputs of requests. */
      source: Schema.optionalKey(Schema.Literals(["upload", "output"])),
      /** Only this media type, whatever its parameters, or all types of a kind: `image/*`. */
      contentType: Schema.optionalKey(Schema.String),
      /** Only outputs of this request. */
      requestId: Schema.optionalKey(Schema.String),
      /** From 1. At least 1. Default: 1. */
      page: Schema.optionalKey(Schema.Int),
      /** Of one page. 1 to 100. Default: 20. */
      limit: Schema.optionalKey(Schema.Int),
      /** `next` of the page before; in the place of `page`. */
      cursor: Schema.optionalKey(Schema.String)
    },
    success: Schemas.Files,
    error: [Errors.answers[400], Errors.answers[401], Errors.answers[403], Errors.answers[429], Errors.answers[500], Errors.answers[503]]
  }),
  HttpApiEndpoint.get("getStorage", "/files/storage", {
    success: Schemas.Storage,
    error: [Errors.answers[400], Errors.answers[401], Errors.answers[403], Errors.answers[429], Errors.answers[500], Errors.answers[503]]
  }),
  HttpApiEndpoint.get("getFileRecord", "/files/:fileId", {
    params: { fileId: Schema.String },
    success: Schemas.StoredFile,
    error: [Errors.answers[400], Errors.answers[401], Errors.answers[403], Errors.answers[404], Errors.answers[410], Errors.answers[429], Errors.answers[500], Errors.answers[503]]
  }),
  HttpApiEndpoint.delete("deleteFile", "/files/:fileId", {
    params: { fileId: Schema.String },
    success: HttpApiSchema.NoContent,
    error: [Errors.answers[400], Errors.answers[401], Errors.answers[403], Errors.answers[404], Errors.answers[429], Errors.answers[500], Errors.answers[503]]
  })
) {}

export class CatalogGroup extends HttpApiGroup.make("catalog").add(
  HttpApiEndpoint.get("listModels", "/models", {
    query: {
      /** Only items with these words, best first; one wrong letter is forgiven. At most 200 characters. */
      search: Schema.optionalKey(Schema.String),
      /** Only this category. */
      category: Schema.optionalKey(Schemas.Category),
      /** Only this status. */
      status: Schema.optionalKey(Schema.Literals(["active", "deprecated"])),
      /** From 1. At least 1. Default: 1. */
      page: Schema.optionalKey(Schema.Int),
      /** Of one page. 1 to 100. Default: 20. */
      limit: Schema.optionalKey(Schema.Int),
      /** `next` of the page before; in the place of `page`. */
      cursor: Schema.optionalKey(Schema.String)
    },
    success: Schemas.Models,
    error: [Errors.answers[400], Errors.answers[500]]
  }),
  HttpApiEndpoint.get("getModel", "/models/:ownerName/:modelName", {
    params: { ownerName: Schema.String, modelName: Schema.String },
    success: Schema.Union([Schemas.Model, Schemas.Wrapper]),
    error: [Errors.answers[400], Errors.answers[404], Errors.answers[500]]
  }),
  HttpApiEndpoint.get("getModelSchema", "/models/:ownerName/:modelName/schema", {
    params: { ownerName: Schema.String, modelName: Schema.String },
    success: Schemas.ModelSchema,
    error: [Errors.answers[400], Errors.answers[404], Errors.answers[500]]
  }),
  HttpApiEndpoint.get("listWrappers", "/wrappers", {
    query: {
      /** Only items with these words, best first; one wrong letter is forgiven. At most 200 characters. */
      search: Schema.optionalKey(Schema.String),
      /** Only this category. */
      category: Schema.optionalKey(Schemas.Category),
      /** Only this status. */
      status: Schema.optionalKey(Schema.Literals(["active", "deprecated"])),
      /** From 1. At least 1. Default: 1. */
      page: Schema.optionalKey(Schema.Int),
      /** Of one page. 1 to 100. Default: 20. */
      limit: Schema.optionalKey(Schema.Int),
      /** `next` of the page before; in the place of `page`. */
      cursor: Schema.optionalKey(Schema.String)
    },
    success: Schemas.Wrappers,
    error: [Errors.answers[400], Errors.answers[500]]
  }),
  HttpApiEndpoint.get("getWrapper", "/wrappers/:ownerName/:modelName", {
    params: { ownerName: Schema.String, modelName: Schema.String },
    success: Schemas.Wrapper,
    error: [Errors.answers[400], Errors.answers[404], Errors.answers[500]]
  }),
  HttpApiEndpoint.get("getWrapperSchema", "/wrappers/:ownerName/:modelName/schema", {
    params: { ownerName: Schema.String, modelName: Schema.String },
    success: Schemas.ModelSchema,
    error: [Errors.answers[400], Errors.answers[404], Errors.answers[500]]
  }),
  HttpApiEndpoint.get("listCollections", "/collections", {
    query: {
      /** From 1. At least 1. Default: 1. */
      page: Schema.optionalKey(Schema.Int),
      /** Of one page. 1 to 100. Default: 20. */
      limit: Schema.optionalKey(Schema.Int),
      /** `next` of the page before; in the place of `page`. */
      cursor: Schema.optionalKey(Schema.String)
    },
    success: Schemas.Collections,
    error: [Errors.answers[400], Errors.answers[500]]
  }),
  HttpApiEndpoint.get("getCollection", "/collections/:slug", {
    params: { slug: Schema.String },
    success: Schemas.CollectionWithModels,
    error: [Errors.answers[400], Errors.answers[404], Errors.answers[500]]
  }),
  HttpApiEndpoint.get("searchCatalog", "/search", {
    query: {
      /** Words, in any order. Required. 1 to 200 characters. */
      query: Schema.optionalKey(Schema.String),
      /** The most items of each kind. 1 to 100. Default: 20. */
      limit: Schema.optionalKey(Schema.Int)
    },
    success: Schemas.SearchResults,
    error: [Errors.answers[400], Errors.answers[500]]
  })
) {}

export class PricingGroup extends HttpApiGroup.make("pricing").add(
  HttpApiEndpoint.get("listPrices", "/pricing", {
    query: {
      /** Only this model or wrapper: `owner/name`. The list is empty when it does not exist. */
      modelEndpoint: Schema.optionalKey(Schema.String),
      /** From 1. At least 1. Default: 1. */
      page: Schema.optionalKey(Schema.Int),
      /** Of one page. 1 to 100. Default: 20. */
      limit: Schema.optionalKey(Schema.Int),
      /** `next` of the page before; in the place of `page`. */
      cursor: Schema.optionalKey(Schema.String)
    },
    success: Schemas.Prices,
    error: [Errors.answers[400], Errors.answers[500]]
  }),
  HttpApiEndpoint.post("estimatePrice", "/pricing/estimate", {
    payload: Schemas.EstimateRequest,
    success: Schemas.Estimate,
    error: [Errors.answers[400], Errors.answers[404], Errors.answers[408], Errors.answers[413], Errors.answers[415], Errors.answers[429], Errors.answers[500]]
  })
) {}

export class ComputeGroup extends HttpApiGroup.make("compute").add(
  HttpApiEndpoint.get("listGpus", "/gpus", {
    query: {
      /** From 1. At least 1. Default: 1. */
      page: Schema.optionalKey(Schema.Int),
      /** Of one page. 1 to 100. Default: 20. */
      limit: Schema.optionalKey(Schema.Int),
      /** `next` of the page before; in the place of `page`. */
      cursor: Schema.optionalKey(Schema.String)
    },
    success: Schemas.Gpus,
    error: [Errors.answers[400], Errors.answers[500]]
  }),
  HttpApiEndpoint.get("listDeploymentTemplates", "/deployment-templates", {
    query: {
      /** From 1. At least 1. Default: 1. */
      page: Schema.optionalKey(Schema.Int),
      /** Of one page. 1 to 100. Default: 20. */
      limit: Schema.optionalKey(Schema.Int),
      /** `next` of the page before; in the place of `page`. */
      cursor: Schema.optionalKey(Schema.String)
    },
    success: Schemas.DeploymentTemplates,
    error: [Errors.answers[400], Errors.answers[500]]
  }),
  HttpApiEndpoint.get("getDeploymentTemplate", "/deployment-templates/:templateId", {
    params: { templateId: Schema.String },
    success: Schemas.DeploymentTemplate,
    error: [Errors.answers[400], Errors.answers[404], Errors.answers[500]]
  })
) {}

export class AccountGroup extends HttpApiGroup.make("account").add(
  HttpApiEndpoint.get("getBalance", "/account/balance", {
    success: Schemas.Balance,
    error: [Errors.answers[400], Errors.answers[401], Errors.answers[403], Errors.answers[429], Errors.answers[500], Errors.answers[503]]
  }),
  HttpApiEndpoint.get("getUsage", "/usage", {
    query: {
      /** A date-time with its offset, or a date (UTC). Default: 30 days before `end`. */
      start: Schema.optionalKey(Schema.String),
      /** A date-time with its offset, or a date (UTC). Default: now. */
      end: Schema.optionalKey(Schema.String),
      /** The length of a bucket. Default: "day". */
      granularity: Schema.optionalKey(Schema.Literals(["hour", "day", "month"])),
      /** Only this model: `owner/name`. */
      modelEndpoint: Schema.optionalKey(Schema.String),
      /** Only requests submitted with this key. */
      keyId: Schema.optionalKey(Schema.String),
      /** `key`: a row for each key, instead of one for all keys. */
      groupBy: Schema.optionalKey(Schema.Literal("key"))
    },
    success: Schemas.Usage,
    error: [Errors.answers[400], Errors.answers[401], Errors.answers[403], Errors.answers[429], Errors.answers[500], Errors.answers[503]]
  }),
  HttpApiEndpoint.get("listBillingEvents", "/billing/events", {
    query: {
      /** Only this request. */
      requestId: Schema.optionalKey(Schema.String),
      /** Only this type. */
      type: Schema.optionalKey(Schema.Literals(["topup", "hold", "charge", "release", "revert"])),
      /** From 1. At least 1. Default: 1. */
      page: Schema.optionalKey(Schema.Int),
      /** Of one page. 1 to 100. Default: 20. */
      limit: Schema.optionalKey(Schema.Int),
      /** `next` of the page before; in the place of `page`. */
      cursor: Schema.optionalKey(Schema.String)
    },
    success: Schemas.BillingEvents,
    error: [Errors.answers[400], Errors.answers[401], Errors.answers[403], Errors.answers[429], Errors.answers[500], Errors.answers[503]]
  })
) {}

export class KeysGroup extends HttpApiGroup.make("keys").add(
  HttpApiEndpoint.get("listKeys", "/keys", {
    query: {
      /** From 1. At least 1. Default: 1. */
      page: Schema.optionalKey(Schema.Int),
      /** Of one page. 1 to 100. Default: 20. */
      limit: Schema.optionalKey(Schema.Int),
      /** `next` of the page before; in the place of `page`. */
      cursor: Schema.optionalKey(Schema.String)
    },
    success: Schemas.ApiKeys,
    error: [Errors.answers[400], Errors.answers[401], Errors.answers[403], Errors.answers[429], Errors.answers[500], Errors.answers[503]]
  }),
  HttpApiEndpoint.get("getKey", "/keys/:keyId", {
    params: { keyId: Schema.String },
    success: Schemas.ApiKey,
    error: [Errors.answers[400], Errors.answers[401], Errors.answers[403], Errors.answers[404], Errors.answers[429], Errors.answers[500], Errors.answers[503]]
  }),
  HttpApiEndpoint.post("createKey", "/keys", {
    payload: Schemas.NewApiKey,
    success: Schemas.IssuedApiKey.pipe(HttpApiSchema.status(201)),
    error: [Errors.answers[400], Errors.answers[401], Errors.answers[403], Errors.answers[408], Errors.answers[409], Errors.answers[413], Errors.answers[415], Errors.answers[429], Errors.answers[500], Errors.answers[503]]
  }),
  HttpApiEndpoint.post("rotateKey", "/keys/:keyId/rotate", {
    params: { keyId: Schema.String },
    payload: Schemas.RotateApiKey,
    success: Schemas.RotatedApiKey,
    error: [Errors.answers[400], Errors.answers[401], Errors.answers[403], Errors.answers[404], Errors.answers[408], Errors.answers[409], Errors.answers[413], Errors.answers[415], Errors.answers[429], Errors.answers[500], Errors.answers[503]]
  }),
  HttpApiEndpoint.delete("revokeKey", "/keys/:keyId", {
    params: { keyId: Schema.String },
    success: HttpApiSchema.NoContent,
    error: [Errors.answers[400], Errors.answers[401], Errors.answers[403], Errors.answers[404], Errors.answers[429], Errors.answers[500], Errors.answers[503]]
  }),
  HttpApiEndpoint.post("createToken", "/keys/tokens", {
    payload: Schemas.NewToken,
    success: Schemas.Token.pipe(HttpApiSchema.status(201)),
    error: [Errors.answers[400], Errors.answers[401], Errors.answers[403], Errors.answers[404], Errors.answers[408], Errors.answers[413], Errors.answers[415], Errors.answers[429], Errors.answers[500], Errors.answers[503]]
  })
) {}

export class Api extends HttpApi.make("inferlog")
  .add(QueueGroup)
  .add(HistoryGroup)
  .add(TimelineGroup)
  .add(StreamsGroup)
  .add(WebhooksGroup)
  .add(UploadsGroup)
  .add(FilesGroup)
  .add(CatalogGroup)
  .add(PricingGroup)
  .add(ComputeGroup)
  .add(AccountGroup)
  .add(KeysGroup) {}

/** The endpoints at QUEUE_URL. All others are at BASE_URL. */
export const onQueue: ReadonlySet<string> = new Set([
  "submitRequest",
  "getRequestStatus",
  "getRequestResult",
  "cancelRequest",
  "cancelRequestByPut",
  "cancelRequestByPost",
  "streamRequestStatus",
  "streamRequestOutput"
])

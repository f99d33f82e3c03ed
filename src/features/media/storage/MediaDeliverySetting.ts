import { Config, Schema } from "effect"
import * as Setting from "#src/kernel/settings/Setting.ts"

const MediaDeliveryName = Schema.Literals(["proxy", "redirect"])

export const mediaDelivery: Setting.Setting<typeof MediaDeliveryName.Type> = Setting.make({
  name: "MEDIA_DELIVERY",
  config: (name) => Config.schema(MediaDeliveryName, name),
  default: "proxy",
  description:
    "how clients get files: through this server, or with `BLOB_STORE=s3://…` by a redirect to a URL of S3 that is valid for 5 minutes",
  accepts: "`proxy`, `redirect`",
  example: "redirect"
})

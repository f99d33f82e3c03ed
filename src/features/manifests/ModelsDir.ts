import { Config } from "effect"
import * as Setting from "#src/kernel/settings/Setting.ts"

export const modelsDir = Setting.optional({
  name: "MODELS_DIR",
  config: Config.String,
  defaultText: "none",
  description:
    "folder of manifests (`**/*.yaml`, `.yml`, `.json`) that are published at start and whenever they change; a faulty one is logged and does not affect the others ([manifests.md](manifests.md))",
  accepts: "a path",
  example: "/etc/inferlog/models"
})

/** The theme of the forms: this console's own fields. */
import type { RegistryFieldsType, RegistryWidgetsType, TemplatesType } from "@rjsf/utils"
import { JsonField } from "./JsonField.tsx"
import { MediaWidget } from "./MediaWidget.tsx"
import { ArrayItemTemplate, ArrayTemplate } from "./ListTemplates.tsx"
import { AdditionalTemplate, FieldTemplate, ObjectTemplate, VariantsTemplate } from "./ObjectTemplates.tsx"
import { ChoicesWidget, ChoiceWidget, ConstantWidget, RadioWidget, SwitchWidget } from "./ChoiceWidgets.tsx"
import { LineWidget, LongWidget, NumberWidget, SliderWidget } from "./TextWidgets.tsx"

const nothing = () => null

export const widgets: RegistryWidgetsType = {
  media: MediaWidget,
  choice: ChoiceWidget,
  radio: RadioWidget,
  switch: SwitchWidget,
  number: NumberWidget,
  slider: SliderWidget,
  long: LongWidget,
  line: LineWidget,
  constant: ConstantWidget,
  // What the library itself asks for: lists of choices, and the selector of variants.
  CheckboxesWidget: ChoicesWidget,
  SelectWidget: ChoiceWidget,
  CheckboxWidget: SwitchWidget,
  TextWidget: LineWidget
}

export const fields: RegistryFieldsType = { json: JsonField }

export const templates: Partial<TemplatesType> = {
  FieldTemplate,
  ObjectFieldTemplate: ObjectTemplate,
  ArrayFieldTemplate: ArrayTemplate,
  ArrayFieldItemTemplate: ArrayItemTemplate,
  MultiSchemaFieldTemplate: VariantsTemplate,
  WrapIfAdditionalTemplate: AdditionalTemplate,
  TitleFieldTemplate: nothing,
  DescriptionFieldTemplate: nothing,
  FieldErrorTemplate: nothing,
  FieldHelpTemplate: nothing,
  ErrorListTemplate: nothing
}

/**
 * The few kinds of JSON Schema that the API uses, each with the TypeScript type of its values. Written by hand, because a library
 * loaded 370 files at every start: 0.2 s of processor time and 20 MB for the same.
 */

declare const value: unique symbol
const optional = Symbol('optional')

export type Schema<Value = unknown> = { readonly [value]?: Value }
/** The type of what a schema describes. */
export type Static<Kind extends Schema> = Kind extends Schema<infer Value> ? Value : never

type Optional<Kind> = Kind & { readonly [optional]: true }
type Properties = Readonly<Record<string, Schema>>
type ObjectSchema<Fields extends Properties> = Schema<ObjectOf<Fields>> & {
  properties: Fields
  required?: string[]
}
type ObjectOf<Fields extends Properties> = {
  [Name in keyof Fields as Fields[Name] extends Optional<Schema> ? never : Name]: Static<Fields[Name]>
} & {
  [Name in keyof Fields as Fields[Name] extends Optional<Schema> ? Name : never]?: Static<Fields[Name]>
}

/** The keywords of a schema besides its kind: a description, bounds, examples. */
type Keywords = Readonly<Record<string, unknown>>

export const Type = {
  String: (keywords?: Keywords): Schema<string> => make({ type: 'string', ...keywords }),
  Integer: (keywords?: Keywords): Schema<number> => make({ type: 'integer', ...keywords }),
  Boolean: (keywords?: Keywords): Schema<boolean> => make({ type: 'boolean', ...keywords }),
  Enum: <const Value extends string>(values: readonly Value[], keywords?: Keywords): Schema<Value> =>
    make({ enum: values, ...keywords }),
  Literal: <const Value extends string>(value: Value): Schema<Value> =>
    make({ type: 'string', const: value }),
  Array: <Value>(items: Schema<Value>, keywords?: Keywords): Schema<Value[]> =>
    make({ type: 'array', items, ...keywords }),
  Nullable: <Value>(schema: Schema<Value>): Schema<Value | null> =>
    make({ anyOf: [schema, { type: 'null' }] }),
  /** A field that may be missing. */
  Optional: <Kind extends Schema>(schema: Kind): Optional<Kind> => ({ ...schema, [optional]: true }),
  Object<Fields extends Properties>(properties: Fields, keywords?: Keywords): ObjectSchema<Fields> {
    const required = Object.keys(properties).filter((name) => !(optional in properties[name]!))
    return make({ type: 'object', ...(required.length > 0 && { required }), properties, ...keywords })
  },
}

/** The type of the values exists only for the compiler. */
const make = <Kind>(schema: object): Kind => schema as Kind

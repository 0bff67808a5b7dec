/** The closed schema of text, images and documents, with citations and cache marks. */
import {
  boolean,
  choice,
  type Fields,
  list,
  number,
  optional,
  record,
  type Shape,
  string,
  stringOr,
  tagged,
} from './shape.ts';

export const cacheControl: Shape = tagged({ ephemeral: { ttl: optional(choice('5m', '1h')) } });

export const caller: Shape = tagged({
  direct: {},
  code_execution_20250825: { tool_id: string },
  code_execution_20260120: { tool_id: string },
});

export const citationsConfig: Shape = record({ enabled: optional(boolean) });

// Requests may not contain the `file_id` that replies have.
export const citations: Shape = list(
  tagged({
    char_location: {
      cited_text: string,
      document_index: number,
      document_title: optional(string),
      start_char_index: number,
      end_char_index: number,
    },
    page_location: {
      cited_text: string,
      document_index: number,
      document_title: optional(string),
      start_page_number: number,
      end_page_number: number,
    },
    content_block_location: {
      cited_text: string,
      document_index: number,
      document_title: optional(string),
      start_block_index: number,
      end_block_index: number,
    },
    search_result_location: {
      cited_text: string,
      search_result_index: number,
      source: string,
      title: optional(string),
      start_block_index: number,
      end_block_index: number,
    },
    web_search_result_location: { cited_text: string, encrypted_index: string, title: optional(string), url: string },
  }),
);

export const text: Fields = {
  text: string,
  citations: optional(citations),
  cache_control: optional(cacheControl),
};

export const image: Fields = {
  source: tagged({
    base64: { data: string, media_type: choice('image/jpeg', 'image/png', 'image/gif', 'image/webp') },
    url: { url: string },
    file: { file_id: string },
  }),
  transformations: optional(record({ oversized_image: optional(string) })),
  cache_control: optional(cacheControl),
};

export const document: Fields = {
  source: tagged({
    base64: { data: string, media_type: choice('application/pdf') },
    text: { data: string, media_type: choice('text/plain') },
    content: { content: stringOr(list(tagged({ text, image }))) },
    url: { url: string },
    file: { file_id: string },
  }),
  title: optional(string),
  context: optional(string),
  citations: optional(citationsConfig),
  cache_control: optional(cacheControl),
};

export const searchResult: Fields = {
  content: list(tagged({ text })),
  source: string,
  title: string,
  citations: optional(citationsConfig),
  cache_control: optional(cacheControl),
};

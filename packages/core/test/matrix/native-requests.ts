/** One request per API as a client might have sent it, with what only that API has: server tools, citations, files. */
import type { ApiId } from './apis.ts';

const anthropic = `{"model":"claude-opus-4-8","max_tokens":100,"system":[{"type":"text","text":"Be brief."}],
"tools":[{"name":"lookup","input_schema":{"type":"object"}},{"type":"web_search_20250305","name":"web_search"}],
"messages":[
{"role":"user","content":[{"type":"text","text":"What is this?"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"aW1hZ2U="}},{"type":"document","source":{"type":"text","media_type":"text/plain","data":"a note"},"title":"note"},{"type":"image","source":{"type":"file","file_id":"file_011"}}]},
{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"c2ln"},{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{"query":"cats"}},{"type":"web_search_tool_result","tool_use_id":"srvtoolu_1","content":[{"type":"web_search_result","encrypted_content":"Y2F0","title":"Cats","url":"https://example.com/cats"}]},{"type":"text","text":"A cat, it seems.","citations":[{"type":"web_search_result_location","cited_text":"a cat","encrypted_index":"aWR4","title":"Cats","url":"https://example.com/cats"}]},{"type":"tool_use","id":"toolu_1","name":"lookup","input":{"a":1}},{"type":"tool_use","id":"toolu_2","name":"lookup","input":{ "b" : 2.0 }}]},
{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"first result"},{"type":"tool_result","tool_use_id":"toolu_2","is_error":true,"content":[{"type":"text","text":"second result"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"c2hvdA=="}}]},{"type":"text","text":"And my own words"}]},
{"role":"assistant","content":"Done, as a string"},
{"role":"user","content":"Thanks, as a string"}]}`;

const google = `{"systemInstruction":{"parts":[{"text":"Be brief."}]},"tools":[{"functionDeclarations":[{"name":"lookup","parameters":{"type":"OBJECT"}}]},{"codeExecution":{}}],
"contents":[
{"role":"user","parts":[{"text":"What is this?"},{"inlineData":{"mimeType":"image/png","data":"aW1hZ2U="}},{"fileData":{"mimeType":"application/pdf","fileUri":"https://generativelanguage.googleapis.com/v1beta/files/abc"}}]},
{"role":"model","parts":[{"text":"hm","thought":true},{"executableCode":{"language":"PYTHON","code":"print(1)"},"thoughtSignature":"QUFB"},{"codeExecutionResult":{"outcome":"OUTCOME_OK","output":"1"}},{"text":"A cat, it seems."},{"functionCall":{"id":"fc1","name":"lookup","args":{"a":1}},"thoughtSignature":"QkJC"},{"functionCall":{"id":"fc2","name":"lookup","args":{ "b" : 2.0 }}}]},
{"role":"user","parts":[{"functionResponse":{"id":"fc1","name":"lookup","response":{"output":"first result"}}},{"functionResponse":{"id":"fc2","name":"lookup","response":{"error":"second result"}}},{"text":"And my own words"}]},
{"role":"model","parts":[{"text":"Done"}]},
{"parts":[{"text":"Thanks"}]}]}`;

const interactions = `{"model":"gemini-2.5-flash","system_instruction":"Be brief.","store":false,"tools":[{"type":"function","name":"lookup","parameters":{"type":"object"}},{"type":"google_search"}],
"input":[
{"type":"user_input","content":[{"type":"text","text":"What is this?"},{"type":"image","mime_type":"image/png","data":"aW1hZ2U="},{"type":"document","mime_type":"application/pdf","uri":"https://generativelanguage.googleapis.com/v1beta/files/abc"}]},
{"type":"thought","signature":"QUFB","summary":[{"type":"text","text":"hm"}]},
{"type":"model_output","content":[{"type":"text","text":"A cat, it seems.","annotations":[{"type":"url_citation","url":"https://example.com/cats","title":"Cats","start_index":0,"end_index":5}]}]},
{"type":"google_search_call","id":"s1","arguments":{"queries":["cats"]}},
{"type":"google_search_result","call_id":"s1","result":[{"search_suggestions":"<b>cats</b>"}]},
{"type":"function_call","id":"fc1","name":"lookup","arguments":{"a":1}},
{"type":"function_call","id":"fc2","name":"lookup","arguments":{ "b" : 2.0 }},
{"type":"user_input","content":[{"type":"function_result","call_id":"fc1","name":"lookup","result":"first result"},{"type":"function_result","call_id":"fc2","is_error":true,"result":[{"type":"text","text":"second result"},{"type":"image","mime_type":"image/png","data":"c2hvdA=="}]},{"type":"text","text":"And my own words"}]},
{"type":"model_output","content":[{"type":"text","text":"Done"}]},
{"type":"user_input","content":[{"type":"text","text":"Thanks"}]}]}`;

const bedrock = `{"system":[{"text":"Be brief."}],"toolConfig":{"tools":[{"toolSpec":{"name":"lookup","inputSchema":{"json":{"type":"object"}}}}]},
"messages":[
{"role":"user","content":[{"text":"What is this?"},{"image":{"format":"png","source":{"bytes":"aW1hZ2U="}}},{"document":{"format":"txt","name":"note","source":{"bytes":"YSBub3Rl"}}}]},
{"role":"assistant","content":[{"reasoningContent":{"reasoningText":{"text":"hm","signature":"c2ln"}}},{"text":"A cat, it seems."},{"toolUse":{"toolUseId":"tooluse_1","name":"lookup","input":{"a":1}}},{"toolUse":{"toolUseId":"tooluse_2","name":"lookup","input":{ "b" : 2.0 }}}]},
{"role":"user","content":[{"toolResult":{"toolUseId":"tooluse_1","content":[{"text":"first result"}]}},{"toolResult":{"toolUseId":"tooluse_2","status":"error","content":[{"text":"second result"},{"image":{"format":"png","source":{"bytes":"c2hvdA=="}}}]}},{"text":"And my own words"}]},
{"role":"assistant","content":[{"citationsContent":{"content":[{"text":"Done"}],"citations":[{"title":"Cats","location":{"web":{"url":"https://example.com/cats"}}}]}}]},
{"role":"user","content":[{"text":"Thanks"}]}]}`;

const cohere = `{"model":"command-a-reasoning-08-2025","tools":[{"type":"function","function":{"name":"lookup","parameters":{"type":"object"}}}],"messages":[
{"role":"system","content":"Be brief."},
{"role":"user","content":[{"type":"text","text":"What is this?"},{"type":"image_url","image_url":{"url":"data:image/png;base64,aW1hZ2U="}}]},
{"role":"assistant","content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"A cat, it seems."}],"tool_calls":[{"id":"lookup_1","type":"function","function":{"name":"lookup","arguments":"{\\"a\\":1}"}},{"id":"lookup_2","type":"function","function":{"name":"lookup","arguments":"{ \\"b\\" : 2.0 }"}}]},
{"role":"tool","tool_call_id":"lookup_1","content":"first result"},
{"role":"tool","tool_call_id":"lookup_2","content":[{"type":"document","document":{"data":"second result","id":"d1"}}]},
{"role":"assistant","content":"Done","citations":[{"start":0,"end":4,"text":"Done","sources":[{"type":"document","id":"d1"}]}]},
{"role":"user","content":"Thanks"}]}`;

const chat = `{"model":"gpt-4o","messages":[
{"role":"developer","content":"Be brief."},
{"role":"user","name":"ann","content":[{"type":"text","text":"What is this?"},{"type":"image_url","image_url":{"url":"data:image/png;base64,aW1hZ2U=","detail":"low"}},{"type":"file","file":{"file_id":"file-abc"}}]},
{"role":"assistant","content":[{"type":"text","text":"A cat, it seems."}],"tool_calls":[{"id":"call_1","type":"function","function":{"name":"lookup","arguments":"{\\"a\\":1}"}},{"id":"call_2","type":"custom","custom":{"name":"shell","input":"ls -l"}}]},
{"role":"tool","tool_call_id":"call_1","content":"first result"},
{"role":"tool","tool_call_id":"call_2","content":[{"type":"text","text":"second result"}]},
{"role":"system","content":"Be briefer."},
{"role":"assistant","content":null,"refusal":"I would rather not."},
{"role":"user","content":"Thanks"}]}`;

const responses = `{"model":"gpt-5.2","instructions":"Be brief.","store":false,"input":[
{"role":"developer","content":"Be kind."},
{"role":"user","content":[{"type":"input_text","text":"What is this?"},{"type":"input_image","image_url":"data:image/png;base64,aW1hZ2U="},{"type":"input_file","file_id":"file-abc"}]},
{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"hm"}],"encrypted_content":"c2VjcmV0"},
{"type":"web_search_call","id":"ws_1","status":"completed","action":{"type":"search","query":"cats"}},
{"type":"message","id":"msg_1","role":"assistant","status":"completed","phase":"commentary","content":[{"type":"output_text","text":"A cat, it seems.","annotations":[{"type":"url_citation","url":"https://example.com/cats","title":"Cats","start_index":0,"end_index":5}]}]},
{"type":"function_call","id":"fc_1","call_id":"call_1","name":"lookup","arguments":"{\\"a\\":1}","status":"completed"},
{"type":"custom_tool_call","id":"ctc_1","call_id":"call_2","name":"shell","input":"ls -l"},
{"type":"function_call_output","call_id":"call_1","output":"first result"},
{"type":"custom_tool_call_output","call_id":"call_2","output":"second result"},
{"type":"message","id":"msg_2","role":"assistant","status":"completed","content":[{"type":"refusal","refusal":"I would rather not."}]},
{"role":"user","content":"Thanks"}]}`;

export const NATIVE_REQUESTS: Readonly<Record<ApiId, string>> = {
  'anthropic-messages': anthropic,
  'bedrock-converse': bedrock,
  'cohere-chat': cohere,
  'google-generatecontent': google,
  'google-interactions': interactions,
  'openai-chat': chat,
  'openai-responses': responses,
};

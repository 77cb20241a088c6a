"""Names that the languages bring along. Collected from their references; a name that is missing here only changes the
reason that is given for a site without an edge.
"""

from __future__ import annotations


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


JAVA = words(
    "ArithmeticException AssertionError Boolean Byte Character CharSequence Class ClassCastException ClassLoader"
    " ClassNotFoundException CloneNotSupportedException Comparable Double Enum Error Exception Float"
    " IllegalArgumentException IllegalStateException IndexOutOfBoundsException Integer InterruptedException"
    " Iterable LinkageError Long Math NullPointerException Number NumberFormatException Object OutOfMemoryError"
    " Override Process Record Runnable Runtime RuntimeException SecurityException Short StackOverflowError"
    " StackTraceElement String StringBuffer StringBuilder System Thread ThreadLocal Throwable"
    " UnsupportedOperationException Void"
)
KOTLIN = JAVA | words(
    "also apply Array arrayListOf arrayOf buildList buildString ByteArray byteArrayOf CharArray check"
    " checkNotNull compareBy emptyList emptyMap emptySet error hashMapOf IntArray intArrayOf it lazy let"
    " linkedMapOf List listOf LongArray mapOf maxOf minOf mutableListOf mutableMapOf mutableSetOf Pair print"
    " println repeat require requireNotNull run runCatching sequence sequenceOf setOf synchronized to TODO Triple"
    " with"
)
SCRIPT = words(
    "AbortController after afterAll afterEach alert Array ArrayBuffer atob before beforeAll beforeEach BigInt"
    " Blob Boolean btoa Buffer clearInterval clearTimeout console crypto DataView Date decodeURIComponent describe"
    " document encodeURIComponent Error escape EvalError expect fetch Float32Array Float64Array FormData Function"
    " global globalThis Headers import Int32Array Int8Array Intl isFinite isNaN it JSON localStorage Map Math"
    " navigator Number Object parseFloat parseInt performance process Promise Proxy queueMicrotask RangeError"
    " ReferenceError Reflect RegExp Request requestAnimationFrame require Response Set setImmediate setInterval"
    " setTimeout String structuredClone Symbol SyntaxError test TextDecoder TextEncoder TypeError Uint16Array"
    " Uint32Array Uint8Array unescape URL URLSearchParams WeakMap WeakRef WeakSet window XMLHttpRequest"
)
GO = words(
    "any append bool byte cap clear close complex copy delete error float32 float64 imag int int16 int32 int64"
    " int8 len make max min new panic print println real recover rune string uint uint16 uint32 uint64 uint8"
    " uintptr"
)
RUST = words(
    "alloc Arc bool Box BTreeMap char core Default drop Err f32 f64 format From HashMap HashSet i16 i32 i64 i8"
    " Into isize Iterator None Ok Option println Rc Result Some std str String u16 u32 u64 u8 usize Vec vec"
)
CSHARP = words("bool byte char decimal default double float int long nameof object string typeof")
SWIFT = words(
    "abs Array assert assertionFailure Bool Character Dictionary Double Error fatalError Float Int Int64 max min"
    " Optional precondition preconditionFailure print Result sequence Set stride String type UInt UInt8"
    " withUnsafePointer zip"
)
RUBY = words(
    "abort Array at_exit attr_accessor attr_reader attr_writer binding block_given? caller catch exit fail File"
    " Float format freeze gets Hash Integer IO Kernel lambda loop Math p print printf private proc Process"
    " protected public puts raise rand Regexp require sleep sprintf String StringIO Struct Symbol system Thread"
    " throw Time warn"
)
BASH = words(
    "alias awk basename bg bind break builtin cat cd chmod command continue cp curl cut date declare dirname dirs"
    " echo enable env eval exec exit export false fg find getopts git grep hash head help history jobs kill let"
    " local logout ls make mapfile mkdir mv popd printf pushd pwd read readarray readonly return rm sed set shift"
    " shopt sleep sort source tail tar tee test times touch tr trap true type typeset ulimit umask unalias uniq"
    " unset wait wc xargs"
)
PHP = words(
    "abs array_chunk array_column array_combine array_diff array_diff_key array_fill array_fill_keys array_filter"
    " array_flip array_intersect array_intersect_key array_key_exists array_key_first array_key_last array_keys"
    " array_map array_merge array_merge_recursive array_pad array_pop array_product array_push array_rand"
    " array_reduce array_replace array_reverse array_search array_shift array_slice array_splice array_sum"
    " array_unique array_unshift array_values array_walk arsort asort assert base64_decode base64_encode basename"
    " bin2hex boolval call_user_func call_user_func_array ceil chr class_exists compact constant copy count"
    " curl_close curl_exec curl_getinfo curl_init curl_setopt current date debug_backtrace define defined die"
    " dirname echo empty end error_log exit explode extension_loaded extract fclose feof fgets file file_exists"
    " file_get_contents file_put_contents filter_var floatval flock floor fopen fread fseek fsockopen ftell"
    " func_get_args function_exists fwrite get_class get_debug_type get_object_vars get_parent_class getenv"
    " gettype hash header headers_sent htmlspecialchars http_build_query implode in_array ini_get ini_set intdiv"
    " interface_exists intval is_a is_array is_bool is_callable is_dir is_file is_float is_int is_integer"
    " is_iterable is_null is_numeric is_object is_readable is_resource is_scalar is_string is_subclass_of"
    " is_writable isset iterator_to_array join json_decode json_encode json_last_error json_last_error_msg key"
    " krsort ksort lcfirst ltrim max mb_strlen mb_strtolower mb_strtoupper mb_substr md5 method_exists microtime"
    " min mkdir mt_rand next number_format ob_get_clean ob_start openssl_encrypt ord parse_str parse_url"
    " password_hash php_sapi_name phpversion preg_last_error preg_match preg_match_all preg_quote preg_replace"
    " preg_replace_callback preg_split print print_r printf property_exists rand random_bytes random_int range"
    " rawurldecode rawurlencode realpath register_shutdown_function rename reset restore_error_handler rewind"
    " rmdir round rsort rtrim serialize set_error_handler set_exception_handler sha1 shuffle sleep sort"
    " spl_autoload_register spl_object_hash spl_object_id sprintf sscanf str_contains str_ends_with str_pad"
    " str_repeat str_replace str_split str_starts_with strcasecmp strcmp stream_context_create stream_get_contents"
    " stripos strlen strpos strrev strrpos strstr strtolower strtotime strtoupper strtr strval substr substr_count"
    " sys_get_temp_dir tempnam time touch trait_exists trigger_error trim uasort ucfirst ucwords uksort unlink"
    " unserialize unset urldecode urlencode usleep usort utf8_encode var_dump var_export version_compare vsprintf"
)
LUA = words(
    "assert collectgarbage coroutine debug dofile error getmetatable io ipairs load math next os package pairs"
    " pcall print rawequal rawget rawlen rawset require select setmetatable string table tonumber tostring type"
    " unpack utf8 vim xpcall"
)
ELIXIR = words(
    "abs Access Agent Application apply assert assert_raise Atom byte_size Code div elem Enum Exception File"
    " GenServer get_in hd inspect Integer IO is_atom is_binary is_function is_integer is_list is_map is_nil is_pid"
    " is_tuple Kernel Keyword length List Logger Macro Map map_size MapSet max min Module not Path Process put_in"
    " raise refute Regex rem round self send spawn Stream String struct Supervisor System Task tl to_string trunc"
    " Tuple update_in"
)
HASKELL = words(
    "abs all and any break compare concat concatMap const drop either elem error fail filter flip fmap foldl"
    " foldr forM forM_ fromIntegral fst head id length liftA2 lines lookup map mapM mapM_ mappend max maximum"
    " maybe mempty min minimum negate not null or otherwise pred print product pure putStrLn read realToFrac"
    " return reverse sequence show snd span succ sum tail take toInteger traverse traverse_ undefined unless"
    " unlines when words zip zipWith"
    " $ + - * / ++ <> >>= >> <$> <*> == /= < > <= >= && || : !! ^ ** $! <$ *> <* =<< & >=> <|> $> <&> ^^"
)
ORDINARY = words(
    "Add add All Any Append append apply as_ref as_str assert at back begin c_str call catch Clear clear clone"
    " Close close collect concat Contains contains containsKey copy Count count create data Dispose each"
    " emplace_back empty end equal Equals equals erase Error every exec exists expect extend filter finally find"
    " First first flatMap flush fmt fold forEach foreach format front Get get getOrElse has hash hashCode header"
    " includes index indexOf init Insert insert into into_iter Invoke is_empty isEmpty items iter iterator join"
    " keys Last last Len len length lines load log lower map match max merge min new next of ok Open open parse"
    " peek pop print push push_back push_str put Read read reduce Remove remove replace reset resolve reverse Run"
    " run save Select send Set set size skip slice sort split start status stop str String string strip sub"
    " substring sum swap take test then to_s to_string to_vec ToString toString trim type unwrap update upper"
    " value values Where with Write write startsWith endsWith toLowerCase toUpperCase normalize padStart padEnd charAt"
    " charCodeAt localeCompare codePointAt"
)
"""Names of methods that containers, strings, streams and the like have: alone they tell nothing."""
